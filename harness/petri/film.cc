// SPDX-License-Identifier: Apache-2.0

#include "harness/petri/film.h"

#include <cstdio>
#include <optional>

namespace lockbench {
namespace {

constexpr double kCaptionHeight = 22;
constexpr double kGap = 14;

// As JSON, and safe inside a <script>.
std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\' || c == '<' || byte < 0x20) {
      char code[8];
      std::snprintf(code, sizeof code, "\\u%04x", byte);
      out += code;
    } else {
      out += c;
    }
  }
  return out + "\"";
}

std::string step_json(const std::string& says, int fired, const Marking& marking) {
  std::string text =
      "{\"says\":" + quoted(says) + ",\"fired\":" + std::to_string(fired) + ",\"tokens\":[";
  for (std::size_t p = 0; p < marking.size(); ++p) {
    text += (p == 0 ? "" : ",") + std::to_string(marking[p]);
  }
  return text + "]}";
}

std::string steps_json(const Net& net, const std::vector<std::uint32_t>& steps) {
  Marking marking = initial_marking(net);
  std::string text = "[" + step_json("the start", -1, marking);
  for (const std::uint32_t t : steps) {
    fire(net.transitions[t], marking);
    text += ",\n" + step_json(words_of(net.transitions[t]), static_cast<int>(t), marking);
  }
  return text + "]";
}

const char kHead[] = R"html(<style>
body{margin:0;font:15px/1.5 system-ui,"DejaVu Sans",sans-serif;color:#222;background:#fafbfc}
header{padding:14px 22px 8px}h1{font-size:19px;margin:0}header p{margin:2px 0 0;color:#555}
main{display:flex;gap:18px;padding:0 22px 22px;align-items:flex-start;flex-wrap:wrap}
#stage{flex:1 1 560px;min-width:320px;background:#fff;border:1px solid #dde2e8;border-radius:8px;
padding:8px}
#stage svg{width:100%;height:auto;max-height:78vh;display:block}
aside{flex:0 1 320px;min-width:250px}
nav{display:flex;gap:8px;align-items:center;margin-bottom:8px}
button{font:inherit;padding:3px 12px;border:1px solid #b8c0ca;border-radius:6px;background:#fff;
cursor:pointer}button:disabled{color:#aab;cursor:default}
ol{list-style:none;margin:0;padding:0;max-height:70vh;overflow:auto;border:1px solid #dde2e8;
border-radius:8px;background:#fff}
li{padding:2px 10px;cursor:pointer}li:hover{background:#f2f5f9}
li[aria-current]{background:#fbe3df;color:#8c1a0d;font-weight:600}
#where{min-width:6.5em;text-align:center;font-variant-numeric:tabular-nums}
kbd{border:1px solid #b8c0ca;border-radius:4px;padding:0 5px;background:#fff;font:inherit}
</style>
)html";

const char kScript[] = R"html(
const at = {3:[[-5,4],[5,4],[0,-5]], 4:[[-5,-5],[5,-5],[-5,5],[5,5]], 2:[[-5,0],[5,0]], 1:[[0,0]]};
const ns = "http://www.w3.org/2000/svg";
const list = document.querySelector("ol"), back = document.querySelector("#back"),
  on = document.querySelector("#on"), where = document.querySelector("#where");
let now = 0;
function make(name, attributes, text) {
  const element = document.createElementNS(ns, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  if (text !== undefined) element.textContent = text;
  return element;
}
function put(group, count) {
  group.replaceChildren();
  if (count > 4) group.append(make("text", {class: "many", x: 0, y: 4}, count));
  else for (const [x, y] of at[count] || [])
    group.append(make("circle", {class: "token", cx: x, cy: y, r: 3.4}));
}
function show(step) {
  now = Math.max(0, Math.min(film.length - 1, step));
  const frame = film[now];
  for (const group of document.querySelectorAll("#stage .tokens"))
    put(group, frame.tokens[group.dataset.place]);
  for (const part of document.querySelectorAll("#stage [data-transition]"))
    part.classList.toggle("fired", Number(part.dataset.transition) === frame.fired);
  [...list.children].forEach((item, i) => {
    if (i === now) item.setAttribute("aria-current", "step");
    else item.removeAttribute("aria-current");
  });
  const item = list.children[now], low = item.offsetTop - list.offsetTop;
  if (low < list.scrollTop || low + item.offsetHeight > list.scrollTop + list.clientHeight)
    list.scrollTop = low - list.clientHeight / 2;
  where.textContent = `step ${now} of ${film.length - 1}`;
  back.disabled = now === 0;
  on.disabled = now === film.length - 1;
}
film.forEach((frame, i) => {
  const item = document.createElement("li");
  item.textContent = `${i}  ${frame.says}`;
  item.onclick = () => show(i);
  list.append(item);
});
back.onclick = () => show(now - 1);
on.onclick = () => show(now + 1);
const keys = {ArrowRight: () => now + 1, ArrowDown: () => now + 1, ArrowLeft: () => now - 1,
  ArrowUp: () => now - 1, Home: () => 0, End: () => film.length - 1};
addEventListener("keydown", event => {
  if (!keys[event.key]) return;
  event.preventDefault();
  show(keys[event.key]());
});
show(Number(location.hash.slice(1)) || 0);
)html";

std::string length(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", value);
  return text;
}

// A document as a part of another.
std::string placed(const std::string& svg, double x, double y) {
  std::string text = svg;
  text.insert(text.find("<svg ") + 5, "x=\"" + length(x) + "\" y=\"" + length(y) + "\" ");
  return text;
}

}  // namespace

std::string film_of(const Net& net, const Layout& layout, const std::vector<std::uint32_t>& steps,
                    const std::string& caption) {
  const std::string title = markup_escaped(net.name);
  return "<!doctype html>\n<html lang=\"en\">\n<head><meta charset=\"utf-8\">\n<title>" + title +
         "</title>\n" + kHead + "</head>\n<body>\n<header><h1>" + title + "</h1><p>" +
         markup_escaped(caption) + "</p></header>\n<main><div id=\"stage\">\n" +
         svg_of(net, layout, initial_marking(net)) +
         "</div>\n<aside><nav><button id=\"back\">← back</button><span id=\"where\" "
         "aria-live=\"polite\"></span><button id=\"on\">on →</button></nav><ol></ol>"
         "<p><kbd>←</kbd> <kbd>→</kbd> step, <kbd>Home</kbd> <kbd>End</kbd> jump. Dashed boxes are "
         "steps that nobody sees.</p></aside></main>\n<script>\nconst film = " +
         steps_json(net, steps) + ";" + kScript + "</script>\n</body>\n</html>\n";
}

std::string strip_of(const Net& net, const Layout& layout, const std::vector<std::uint32_t>& steps,
                     std::size_t columns) {
  const std::size_t frames = steps.size() + 1;
  const std::size_t across = std::min(columns, frames);
  const std::size_t down = (frames + across - 1) / across;
  const double cell_width = layout.width + kGap;
  const double cell_height = layout.height + kCaptionHeight + kGap;
  const double width = cell_width * static_cast<double>(across) - kGap;
  const double height = cell_height * static_cast<double>(down) - kGap;
  std::string text = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + length(width) +
                     "\" height=\"" + length(height) + "\" viewBox=\"0 0 " + length(width) + " " +
                     length(height) + "\" role=\"img\">\n<title>" + markup_escaped(net.name) +
                     "</title>\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n";
  Marking marking = initial_marking(net);
  for (std::size_t i = 0; i < frames; ++i) {
    std::optional<std::uint32_t> fired;
    if (i > 0) fired = steps[i - 1];
    if (fired) fire(net.transitions[*fired], marking);
    const double x = cell_width * static_cast<double>(i % across);
    const double y = cell_height * static_cast<double>(i / across);
    const std::string says = fired ? words_of(net.transitions[*fired]) : "the start";
    text += placed(svg_of(net, layout, marking, fired), x, y + kCaptionHeight) + "<text x=\"" +
            length(x + 6) + "\" y=\"" + length(y + 15) +
            "\" style=\"font-size:12px;font-weight:bold;text-anchor:start\">" + std::to_string(i) +
            "  " + markup_escaped(says) + "</text>\n";
  }
  return text + "</svg>\n";
}

}  // namespace lockbench
