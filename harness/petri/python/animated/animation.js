const list = document.querySelector("ol");
const items = [...list.children];
const back = document.querySelector("#back");
const next = document.querySelector("#next");
const position = document.querySelector("#position");
let now = 0;

function show(step) {
  now = Math.max(0, Math.min(frames.length - 1, step));
  const frame = frames[now];
  frame.tokens.forEach((tokens, place) => {
    document.querySelector(`#p${place} text`).textContent = tokens;
  });
  for (const part of document.querySelectorAll("#net .fired")) part.classList.remove("fired");
  if (frame.fired !== null)
    for (const part of document.querySelectorAll(`#t${frame.fired}, .edge.t${frame.fired}`)) {
      part.classList.add("fired");
      if (part.classList.contains("edge")) part.parentNode.append(part);  // above other arcs
    }
  items.forEach((item, i) => {
    if (i === now) item.setAttribute("aria-current", "step");
    else item.removeAttribute("aria-current");
  });
  const low = items[now].offsetTop - list.offsetTop;
  if (low < list.scrollTop || low + items[now].offsetHeight > list.scrollTop + list.clientHeight)
    list.scrollTop = low - list.clientHeight / 2;
  position.textContent = `step ${now} of ${frames.length - 1}`;
  back.disabled = now === 0;
  next.disabled = now === frames.length - 1;
}

items.forEach((item, i) => { item.onclick = () => show(i); });
back.onclick = () => show(now - 1);
next.onclick = () => show(now + 1);
const keys = {ArrowRight: () => now + 1, ArrowDown: () => now + 1, ArrowLeft: () => now - 1,
  ArrowUp: () => now - 1, Home: () => 0, End: () => frames.length - 1};
addEventListener("keydown", event => {
  if (!keys[event.key]) return;
  event.preventDefault();
  show(keys[event.key]());
});
show(Number(location.hash.slice(1)) || 0);
