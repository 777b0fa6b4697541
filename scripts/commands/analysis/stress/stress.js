"use strict";
const data = JSON.parse(document.querySelector("#data").textContent);

// The state of a thread after an act; an access says so only where the thread sleeps.
function doing(step, before) {
  const keys = (step.keys || []).length ? `key${step.keys.length > 1 ? "s" : ""} ${step.keys.join(" and ")}` : "";
  const held = before.held.filter(key => !(step.keys || []).includes(key));
  switch (step.act) {
    case "request": return {held: before.held, now: `wants ${keys}`};
    case "acquire": return {held: [...before.held, ...step.keys], now: ""};
    case "refuse": return {held: before.held, now: `was refused ${keys}`};
    case "release": return {held, now: `releases ${keys}`};
    case "released": return {held: before.held, now: ""};
    case "expire": return {held, now: `lost ${keys}`};
    case "end": return {held: before.held, now: "has ended"};
    case "die": return {held: before.held, now: "was killed"};
    case "sleep": return {...before, asleep: step.word};
    case "woken": case "timed_out": case "interrupted": return {...before, asleep: ""};
    default: return before;
  }
}

function text(state) {
  const parts = [];
  if (state.held.length) parts.push(`holds key ${[...new Set(state.held)].join(", ")}`);
  if (state.now) parts.push(state.now);
  if (state.asleep) parts.push(`sleeps at ${state.asleep}`);
  return parts.join("; ") || "–";
}

// The state after each step: of threads by lane, of words by name.
function states(steps, lanes) {
  let threads = Array.from({length: lanes}, () => ({held: [], now: "", asleep: ""}));
  let words = new Map();
  return steps.map(step => {
    threads = threads.map((one, lane) => lane === step.lane ? doing(step, one) : one);
    if (step.word && ["load", "store", "update", "compare", "flush", "buffered_store"].includes(step.act)) {
      words = new Map(words);
      const old = words.get(step.word) || {value: "", pending: {}};
      const pending = {...old.pending};
      let value = step.now ?? old.value;
      if (step.act === "buffered_store") { pending[step.lane] = step.now; value = old.value || step.was; }
      if (step.act === "flush") delete pending[step.lane];
      if (step.act === "load" && pending[step.lane] !== undefined) value = old.value;
      words.set(step.word, {value, pending});
    }
    return {threads, words};
  });
}

function cell(row, kind, content) {
  const made = row.appendChild(document.createElement(kind));
  made.textContent = content;
}

class Player {
  constructor(article) {
    this.article = article;
    this.steps = data[article.dataset.report];
    this.list = article.querySelector(".steps");
    this.items = [...this.list.querySelectorAll(".step")];
    this.rects = [...article.querySelectorAll(".strip rect")];
    this.range = article.querySelector("input[type=range]");
    this.output = article.querySelector("output");
    this.rows = [...article.querySelectorAll(".threads tr")];
    this.names = this.rows.map(row => row.querySelector("th").childNodes[1].textContent.trim());
    this.states = states(this.steps, this.rows.length);
    this.wrong = this.steps.findIndex(step => step.wrong);
    const on = (selector, step) => article.querySelector(selector).addEventListener("click", () => this.show(step()));
    on(".first", () => 0);
    on(".back", () => this.now - 1);
    on(".next", () => this.now + 1);
    on(".last", () => this.items.length - 1);
    on(".to-wrong", () => this.nextWrong());
    article.querySelector(".to-wrong").hidden = this.wrong < 0;
    this.range.addEventListener("input", () => this.show(Number(this.range.value)));
    this.items.forEach((item, i) => item.addEventListener("click", () => this.show(i)));
    this.rects.forEach((rect, i) => rect.addEventListener("click", () => this.show(i)));
    article.addEventListener("pointerdown", () => { active = this; });
    article.addEventListener("focusin", () => { active = this; });
    this.show(this.wrong < 0 ? this.items.length - 1 : this.wrong);
  }

  // The next one that is marked, or the first again.
  nextWrong() {
    const later = this.steps.findIndex((step, i) => step.wrong && i > this.now);
    return later < 0 ? this.wrong : later;
  }

  show(step) {
    this.now = Math.max(0, Math.min(this.items.length - 1, step));
    this.items.forEach((item, i) => {
      item.classList.toggle("later", i > this.now);
      if (i === this.now) item.setAttribute("aria-current", "step");
      else item.removeAttribute("aria-current");
    });
    this.rects.forEach((rect, i) => rect.classList.toggle("now", i === this.now));
    const item = this.items[this.now];
    const low = item.offsetTop;
    const margin = 60;
    if (low < this.list.scrollTop + margin || low + item.offsetHeight > this.list.scrollTop + this.list.clientHeight - margin) {
      this.list.scrollTop = low - this.list.clientHeight / 2;
    }
    this.range.value = this.now;
    this.output.textContent = `${this.now + 1} of ${this.items.length}`;
    this.article.querySelector(".first").disabled = this.article.querySelector(".back").disabled = this.now === 0;
    this.article.querySelector(".last").disabled = this.article.querySelector(".next").disabled = this.now === this.items.length - 1;
    this.tell();
  }

  tell() {
    const state = this.states[this.now];
    const before = this.now ? this.states[this.now - 1] : {threads: [], words: new Map()};
    this.rows.forEach((row, lane) => {
      const told = text(state.threads[lane]);
      row.querySelector("td").textContent = told;
      row.classList.toggle("changed", !!before.threads[lane] && told !== text(before.threads[lane]));
    });
    const table = this.article.querySelector(".words");
    table.hidden = state.words.size === 0;
    const body = table.querySelector("tbody");
    body.replaceChildren();
    for (const [word, {value, pending}] of state.words) {
      const row = body.appendChild(document.createElement("tr"));
      cell(row, "th", word);
      const waiting = Object.entries(pending).map(([lane, one]) => `${this.names[lane]} has ${one} in its store buffer`);
      cell(row, "td", [value, ...waiting].join("; "));
      const old = before.words.get(word);
      row.classList.toggle("changed", !old || old.value !== value || Object.keys(old.pending).length !== waiting.length);
    }
  }
}

let active = null;
const players = [...document.querySelectorAll(".failure")].filter(one => one.querySelector(".player")).map(one => new Player(one));
active = players[0] || null;

const keys = {ArrowRight: p => p.now + 1, ArrowDown: p => p.now + 1, ArrowLeft: p => p.now - 1,
  ArrowUp: p => p.now - 1, Home: () => 0, End: p => p.items.length - 1, w: p => p.nextWrong()};
addEventListener("keydown", event => {
  if (!active || !keys[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
  event.preventDefault();
  active.show(keys[event.key](active));
});

for (const button of document.querySelectorAll(".copy")) {
  button.addEventListener("click", async () => {
    const code = button.parentNode.querySelector("code");
    try {
      await navigator.clipboard.writeText(code.textContent);
    } catch {
      getSelection().selectAllChildren(code);
      document.execCommand("copy");
    }
    button.textContent = "Copied";
    setTimeout(() => { button.textContent = "Copy"; }, 1500);
  });
}
