/* SPDX-License-Identifier: Apache-2.0 */

/* Included before everything else in the code of a plug-in that is built for predictions
 * (lockbench_add_plugin(… PREDICT)): each `pause` instruction, of an intrinsic or of inline
 * assembly, becomes a call, so that the model of the machine charges for it. The function keeps all
 * registers and flags, but uses the stack: compile with -mno-red-zone.
 *
 * g++ writes the intrinsic as `rep nop`. Other instructions that `rep` stands before keep its byte.
 *
 * Not offered: `rep; nop` in inline assembly, which is two statements; other processors than
 * x86-64; compilers that do not write their code as text (clang's intrinsics). There, pauses take
 * no time.
 */
#if defined(__x86_64__) && !defined(LOCKBENCH_COUNTS_PAUSES)
#define LOCKBENCH_COUNTS_PAUSES
__asm__(
    ".macro pause\n\t"
    "call lockbench_pause@PLT\n\t"
    ".endm\n\t"
    ".macro rep instruction:vararg\n\t"
    ".ifc \\instruction,nop\n\t"
    "call lockbench_pause@PLT\n\t"
    ".else\n\t"
    ".byte 0xf3\n\t"
    "\\instruction\n\t"
    ".endif\n\t"
    ".endm");
#endif
