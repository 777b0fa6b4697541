// SPDX-License-Identifier: Apache-2.0

"use strict";
(() => {
  const all = (selector, root = document) => [...root.querySelectorAll(selector)];

  // Theme: as the system has it, until somebody says otherwise; remembered where that is allowed.
  const button = document.getElementById("theme");
  const themes = ["auto", "dark", "light"];
  const remember = {
    get: () => { try { return localStorage.getItem("lockbench-theme"); } catch { return null; } },
    set: (value) => { try { localStorage.setItem("lockbench-theme", value); } catch { /* a file may not */ } },
  };
  const show = (theme) => {
    if (theme === "auto") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
    button.lastElementChild.textContent = theme;
  };
  let theme = themes.includes(remember.get()) ? remember.get() : "auto";
  show(theme);
  button.hidden = false;
  button.addEventListener("click", () => {
    theme = themes[(themes.indexOf(theme) + 1) % themes.length];
    remember.set(theme);
    show(theme);
  });

  // Pictures: pointing at what belongs to a primitive names it; pressing it, or its name, hides it.
  const tip = document.getElementById("tip");
  const move = (x, y) => {
    const room = 14;
    const { width, height } = tip.getBoundingClientRect();
    const left = x + room + width > innerWidth ? x - room - width : x + room;
    const top = y + room + height > innerHeight ? y - room - height : y + room;
    tip.style.left = `${Math.max(4, left)}px`;
    tip.style.top = `${Math.max(4, top)}px`;
  };
  const words = new WeakMap();
  let touched = null;
  const point = (chart, own, x, y) => {
    all(".own.on", chart).forEach((other) => other.classList.remove("on"));
    chart.classList.toggle("busy", Boolean(own));
    tip.hidden = !own || !words.get(own);
    if (!own) return;
    own.classList.add("on");
    tip.textContent = words.get(own);
    move(x, y);
  };
  for (const chart of all(".chart")) {
    const groups = new Map(all(".own", chart).map((own) => [own.dataset.own, own]));
    for (const own of groups.values()) {
      const title = own.querySelector("title");
      if (!title) continue;
      words.set(own, title.textContent);
      title.remove(); // or the browser would show it a second time
    }
    const buttons = new Map(all("button[data-own]", chart).map((key) => [key.dataset.own, key]));
    const toggle = (name) => {
      const off = groups.get(name).classList.toggle("off");
      buttons.get(name).setAttribute("aria-pressed", String(!off));
      point(chart, null);
    };
    const drawing = chart.querySelector("svg:not(.key)");
    drawing.addEventListener("pointermove", (event) => {
      point(chart, event.target.closest(".own"), event.clientX, event.clientY);
    });
    drawing.addEventListener("pointerleave", () => point(chart, null));
    drawing.addEventListener("click", (event) => {
      const own = event.target.closest(".own");
      // A finger has pointed at nothing before: its first touch names, as pointing does.
      if (own && (event.pointerType !== "touch" || own === touched)) toggle(own.dataset.own);
      touched = own;
    });
    chart.querySelector(".keys").hidden = false;
    for (const [name, key] of buttons) {
      key.addEventListener("click", () => toggle(name));
      const near = () => {
        const own = groups.get(name);
        const box = key.getBoundingClientRect();
        if (own && !own.classList.contains("off")) point(chart, own, box.left, box.bottom);
      };
      key.addEventListener("pointerenter", near);
      key.addEventListener("focus", () => key.matches(":focus-visible") && near());
      key.addEventListener("pointerleave", () => point(chart, null));
      key.addEventListener("blur", () => point(chart, null));
    }
  }
  document.addEventListener("keydown", (event) => {
    if (event.key === "Escape") all(".busy").forEach((chart) => point(chart, null));
  });

  // Tables: sorted by a column, what has no figure last; filtered by words, all of which must be there.
  const value = (cell) => {
    if (!cell.hasAttribute("data-v")) return cell.textContent.trim().toLowerCase();
    return cell.dataset.v === "" ? null : Number(cell.dataset.v);
  };
  const compare = (a, b) => {
    if (a === null || b === null) return (a === null) - (b === null);
    return typeof a === "number" ? a - b : a.localeCompare(b, "en", { numeric: true });
  };
  for (const table of all("table.cells")) {
    const body = table.tBodies[0];
    const rows = [...body.rows];
    const heads = [...table.tHead.rows[0].cells];
    heads.forEach((head, column) => {
      if (head.matches(".links")) return;
      const sort = document.createElement("button");
      sort.type = "button";
      sort.append(...head.childNodes);
      head.append(sort);
      sort.addEventListener("click", () => {
        const down = head.getAttribute("aria-sort") === "ascending";
        heads.forEach((other) => other.removeAttribute("aria-sort"));
        head.setAttribute("aria-sort", down ? "descending" : "ascending");
        const keyed = rows.map((row) => [value(row.cells[column]), row]);
        keyed.sort(([a], [b]) => (down && a !== null && b !== null ? compare(b, a) : compare(a, b)));
        body.append(...keyed.map(([, row]) => row));
      });
    });
    const of = (kind) => document.querySelector(`${kind}[data-table="${table.id}"]`);
    const [search, select, output] = [of("input[type=search]"), of("select"), of("output")];
    // Without this script all columns are there; with it those that do not fit come on demand.
    const every = of("input[type=checkbox]");
    const widen = () => table.classList.toggle("all", every.checked);
    every.addEventListener("change", widen);
    widen();
    const units = heads.map((head) => (head.dataset.unit ? ` ${head.dataset.unit}` : ""));
    const text = rows.map((row) =>
      [...row.cells].map((cell, i) => cell.textContent + units[i]).join("  ").toLowerCase());
    const verdicts = rows.map((row) => row.querySelector(".verdict").textContent);
    const filter = () => {
      // `8 threads` is one thing, and not met by 18 of them.
      const said = search.value.toLowerCase().match(/[\d,]+ (?:thread|key)s?|\S+/g) || [];
      const wanted = said.map((word) => word.replace(/^([\d,]+ (?:thread|key))s?$/, " $1s"));
      let shown = 0;
      rows.forEach((row, i) => {
        const fits = wanted.every((word) => text[i].includes(word)) &&
          verdicts[i].includes(select.value);
        row.hidden = !fits;
        shown += fits;
      });
      output.textContent = shown === rows.length ? `${shown} cells` : `${shown} of ${rows.length} cells`;
    };
    search.addEventListener("input", filter);
    select.addEventListener("change", filter);
    search.closest(".tools").hidden = false;
    filter();
  }
})();
