// Ranking texts: digits choose the best two, letters rate the selected text, and the selection moves on by itself.
"use strict";

const LIKELIHOODS = { q: "likely", w: "unlikely", e: "gibberish" };

const ranking = {
  isOn: () => form() !== null && form().dataset.kind === "rank",
  texts: () => [...form().querySelectorAll("fieldset.ending")],
  at: () => form().querySelector("fieldset.ending.at"),
  isOpen: (text) => text.querySelector(".choices:not(.places) input:checked") === null,

  // Selects a text, or none.
  mark(text) {
    for (const each of this.texts()) each.classList.toggle("at", each === text);
  },

  // Returns the next unrated text after a text, wrapping around.
  nextOpen(text) {
    const all = this.texts();
    const from = all.indexOf(text) + 1;
    return [...all.slice(from), ...all.slice(0, from)].find(this.isOpen) || null;
  },

  put(text, name) {
    text.querySelector(`input[name=${name}]`).checked = true;
    const other = text.querySelector(`input[name=${name === "best" ? "second" : "best"}]`);
    other.checked = false;
    if (this.isOpen(text)) text.querySelector("input[value=likely]").checked = true;
    if (this.at() && !this.isOpen(this.at())) this.mark(this.nextOpen(this.at()));
  },

  choose(text) {
    const [best, second] = ["best", "second"].map((name) => text.querySelector(`input[name=${name}]`));
    if (best.checked || second.checked) {
      best.checked = second.checked = false;
      return `Text ${text.dataset.place} is unranked`;
    }
    const name = form().querySelector("input[name=best]:checked") ? "second" : "best";
    this.put(text, name);
    return `Text ${text.dataset.place} is ${name === "best" ? "the best" : "second best"}`;
  },

  rate(likelihood) {
    const text = this.at() || this.texts()[0];
    text.querySelector(`input[value=${likelihood}]`).checked = true;
    this.mark(this.nextOpen(text));
    return `Text ${text.dataset.place} is ${likelihood}`;
  },

  move(step) {
    const all = this.texts();
    const from = this.at() ? all.indexOf(this.at()) : -1;
    this.mark(all[(from + step + all.length) % all.length]);
    return `Text ${this.at().dataset.place}`;
  },

  // Handles a key; returns false if it has no meaning here.
  press(key) {
    const text = this.texts().find((each) => each.dataset.place === key);
    const isField = document.activeElement && document.activeElement.matches("input");
    if (text) changed(this.choose(text));
    else if (LIKELIHOODS[key]) changed(this.rate(LIKELIHOODS[key]));
    else if (!isField && (key === "ArrowDown" || key === "ArrowUp")) announce(this.move(key === "ArrowDown" ? 1 : -1));
    else return false;
    // Scroll on key presses only, so that nothing moves under a finger.
    if (this.at()) this.at().scrollIntoView({ block: "nearest" });
    return true;
  },

  // Handles a click or a tap.
  click(input) {
    const text = input.closest("fieldset.ending");
    if (input.name === "best" || input.name === "second") this.put(text, input.name);
    else this.mark(this.nextOpen(text));
  },
};
