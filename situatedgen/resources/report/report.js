
"use strict";
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const byId = (id) => document.getElementById(id);
  const size = 20, parts = 10000, total = data.left.length;
  const controls = { q: byId("query"), field: byId("field"), split: byId("split"), context: byId("context"),
    source: byId("source"), order: byId("order") };
  const lower = data.texts.map((text) => text.toLowerCase());
  const lowerWords = data.keywords.map((word) => word.toLowerCase());
  const lowerIds = data.ids.map((id) => id.toLowerCase());
  const names = data.ids.map((id) => id.split("::")[0]);
  const sources = [...new Set(names)].sort();
  const offsets = (counts) => { let at = 0; return counts.map((count) => (at += count) - count); };
  const starts = offsets(data.counts);
  let found = [], page = 0, chosen = -1, terms = [];

  const exampleId = (n) => data.ids[data.left[n]] + "|" + data.ids[data.right[n]];
  const numbers = new Map();
  for (let n = 0; n < total; n++) numbers.set(exampleId(n), n);
  const probability = (n) => data.probability?.[n] ?? parts;
  const wordsOf = (n) => data.words.slice(starts[n], starts[n] + data.counts[n]);

  const make = (tag, className, text) => {
    const element = document.createElement(tag);
    if (className) element.className = className;
    if (text !== undefined) element.textContent = text;
    return element;
  };
  const option = (select, value, text) => { const made = make("option", "", text); made.value = value; select.append(made); };
  const fill = (select, values, all) => { option(select, "", all); values.forEach((value) => option(select, value, value)); };
  fill(controls.split, data.splits, "any");
  fill(controls.context, data.contexts.filter((_, number) => data.context.includes(number)), "any");
  fill(controls.source, sources, "any");
  if (data.probability) {
    option(controls.order, "probable", "most probable first");
    option(controls.order, "improbable", "least probable first");
  }

  const parsed = (query) => [...query.matchAll(/["“]([^"”]+)["”]|(\S+)/g)].map((each) => (each[1] ?? each[2]).trim()).filter(Boolean);

  const matcher = (term) => {
    const wanted = term.toLowerCase();
    const inWords = Uint8Array.from(lowerWords, (word) => word.includes(wanted) ? 1 : 0);
    if (controls.field.value === "keywords") return (n) => {
      for (let at = starts[n]; at < starts[n] + data.counts[n]; at++) if (inWords[data.words[at] >> 1]) return true;
      return false;
    };
    const inTexts = Uint8Array.from(lower, (text, number) => text.includes(wanted) || lowerIds[number] === wanted ? 1 : 0);
    const whole = wanted.includes("|") ? wanted : null;
    return (n) => inTexts[data.left[n]] || inTexts[data.right[n]] || (whole !== null && exampleId(n).toLowerCase() === whole);
  };

  const filters = () => {
    const checks = [], { split, context, source } = controls;
    if (split.value) { const wanted = data.splits.indexOf(split.value); checks.push((n) => data.split[n] === wanted); }
    if (context.value) { const wanted = data.contexts.indexOf(context.value); checks.push((n) => data.context[n] === wanted); }
    if (source.value) checks.push((n) => names[data.left[n]] === source.value || names[data.right[n]] === source.value);
    return checks;
  };

  // The same random order for everyone: the bits of a number, mixed.
  const mixed = (n) => Math.imul(Math.imul(n + 1, 0x9E3779B1) ^ (n >>> 3), 0x85EBCA6B) >>> 0;

  const sorted = (list) => {
    const by = { "": (a, b) => mixed(a) - mixed(b), alike: (a, b) => data.similarity[b] - data.similarity[a], unlike: (a, b) => data.similarity[a] - data.similarity[b],
      probable: (a, b) => probability(b) - probability(a), improbable: (a, b) => probability(a) - probability(b) }[controls.order.value];
    return by ? list.sort((a, b) => by(a, b) || a - b) : list;
  };

  const search = () => {
    terms = parsed(controls.q.value);
    const checks = [...filters(), ...terms.map(matcher)];
    const list = [];
    for (let n = 0; n < total; n++) if (checks.every((check) => check(n))) list.push(n);
    found = sorted(list);
  };

  const highlighted = (element, text) => {
    if (!terms.length) { element.append(text); return element; }
    const escaped = terms.map((term) => term.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
    let at = 0;
    for (const hit of text.matchAll(new RegExp(escaped.join("|"), "giu"))) {
      element.append(text.slice(at, hit.index), make("mark", "", hit[0]));
      at = hit.index + hit[0].length;
    }
    element.append(text.slice(at));
    return element;
  };

  const card = (n) => {
    const item = make("li", "card"), meta = make("p", "meta"), chips = make("p", "chips");
    if (n === chosen) item.classList.add("chosen");
    const link = make("a", "", exampleId(n));
    link.href = "#" + new URLSearchParams({ example: exampleId(n) });
    link.title = "Link to this example";
    meta.append(make("span", "", data.splits[data.split[n]]), make("span", "", data.contexts[data.context[n]]),
      make("span", "", "similarity " + (data.similarity[n] / parts).toFixed(3)), link);
    if (data.probability?.[n] != null) meta.append(make("span", "probability", "valid " + (data.probability[n] / parts).toFixed(2)));
    for (const word of wordsOf(n)) chips.append(highlighted(make("span", "chip s" + (word & 1)), data.keywords[word >> 1]));
    item.append(chips, highlighted(make("p", "sentence s0"), data.texts[data.left[n]]),
      highlighted(make("p", "sentence s1"), data.texts[data.right[n]]), meta);
    return item;
  };

  const show = () => {
    const pages = Math.max(Math.ceil(found.length / size), 1);
    page = Math.min(Math.max(page, 0), pages - 1);
    byId("results").replaceChildren(...found.slice(page * size, (page + 1) * size).map(card));
    const many = found.length.toLocaleString("en") + " of " + total.toLocaleString("en") + " examples";
    byId("count").textContent = chosen >= 0 ? "Showing one linked example; clear to see all " + total.toLocaleString("en") : many;
    byId("place").textContent = "page " + (page + 1).toLocaleString("en") + " of " + pages.toLocaleString("en");
    byId("back").disabled = page === 0;
    byId("on").disabled = page === pages - 1;
    document.querySelector(".pager").hidden = pages === 1;
  };

  const state = () => new URLSearchParams(Object.entries(controls).map(([name, control]) => [name, control.value]).filter(([, value]) => value));
  const remember = (text) => history.replaceState(null, "", text ? "#" + text : "#search");

  const changed = () => { chosen = -1; page = 0; search(); show(); remember(state().toString()); };
  const single = (n) => { chosen = n; page = 0; terms = []; found = n >= 0 ? [n] : []; show(); };

  const follow = () => {
    const told = new URLSearchParams(location.hash.includes("=") ? location.hash.slice(1) : "");
    if (told.has("example")) {
      const n = numbers.get(told.get("example")) ?? -1;
      single(n);
      if (n < 0) byId("count").textContent = "No example has the id " + told.get("example");
      byId("search").scrollIntoView();
      return;
    }
    for (const [name, control] of Object.entries(controls)) control.value = told.get(name) ?? "";
    for (const control of Object.values(controls)) if (control.selectedIndex === -1) control.selectedIndex = 0;
    chosen = -1; page = 0; search(); show();
    if ([...told].length) byId("search").scrollIntoView();
  };

  const turn = (step) => { page += step; show(); byId("search").scrollIntoView(); };
  for (const control of Object.values(controls)) control.addEventListener("input", changed);
  document.querySelector("form").addEventListener("submit", (event) => event.preventDefault());
  byId("back").addEventListener("click", () => turn(-1));
  byId("on").addEventListener("click", () => turn(1));
  byId("clear").addEventListener("click", () => {
    for (const control of Object.values(controls)) control.value = "";
    changed(); controls.q.focus();
  });
  byId("chance").addEventListener("click", () => {
    if (chosen >= 0) search();
    if (found.length) location.hash = new URLSearchParams({ example: exampleId(found[Math.floor(Math.random() * found.length)]) });
  });
  document.addEventListener("keydown", (event) => {
    if (event.key === "/" && !/INPUT|SELECT/.test(document.activeElement.tagName)) { event.preventDefault(); controls.q.focus(); }
  });
  window.addEventListener("hashchange", () => { if (location.hash.includes("=")) follow(); });
  follow();
})();
