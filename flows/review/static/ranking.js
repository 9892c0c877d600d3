// Ranking texts: digits choose the best two, letters say how likely the marked text is, and the mark goes on by itself.
"use strict";

const LIKELIHOODS = { q: "likely", w: "unlikely", e: "gibberish" };

const ranking = {
  isOn: () => form() !== null && form().dataset.kind === "rank",
  texts: () => [...form().querySelectorAll("fieldset.ending")],
  at: () => form().querySelector("fieldset.ending.at"),
  isOpen: (text) => text.querySelector(".choices:not(.places) input:checked") === null,

  // The mark stands at a text; without one, nowhere.
  mark(text) {
    for (const each of this.texts()) each.classList.toggle("at", each === text);
  },

  // From a text on, and then from the first, the next that nobody has said anything of.
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
      return `Text ${text.dataset.place} is neither`;
    }
    const name = form().querySelector("input[name=best]:checked") ? "second" : "best";
    this.put(text, name);
    return `Text ${text.dataset.place} is ${name === "best" ? "the best" : "second best"}`;
  },

  say(likelihood) {
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

  // What a key does here; false where it does nothing.
  press(key) {
    const text = this.texts().find((each) => each.dataset.place === key);
    const isField = document.activeElement && document.activeElement.matches("input");
    if (text) changed(this.choose(text));
    else if (LIKELIHOODS[key]) changed(this.say(LIKELIHOODS[key]));
    else if (!isField && (key === "ArrowDown" || key === "ArrowUp")) tell(this.move(key === "ArrowDown" ? 1 : -1));
    else return false;
    // Only keys move the page: what is below a finger stays there.
    if (this.at()) this.at().scrollIntoView({ block: "nearest" });
    return true;
  },

  // What a click or a tap did.
  clicked(input) {
    const text = input.closest("fieldset.ending");
    if (input.name === "best" || input.name === "second") this.put(text, input.name);
    else this.mark(this.nextOpen(text));
  },
};
