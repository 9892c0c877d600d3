// Shows one pair after another: keys, the timer, and answers, which count as recorded only once the server confirms them.
"use strict";

const IDLE_SECONDS = 60;
const TIMEOUT_SECONDS = 15;
const LONGEST_WAIT_SECONDS = 10;
const SETTLING_MILLISECONDS = 350;

const meta = (name) => document.querySelector(`meta[name="${name}"]`).content;
const byId = (id) => document.getElementById(id);
const main = byId("pair");
const draftPlace = `situatedgen-draft-${meta("storage-key")}`;
const pendingPlace = `situatedgen-pending-${meta("storage-key")}`;

/* Browser storage: drafts and answers that the server has not confirmed yet */

function load(place) {
  try {
    return JSON.parse(localStorage.getItem(place));
  } catch {
    return null;
  }
}

function save(place, value) {
  try {
    if (value === null) localStorage.removeItem(place);
    else localStorage.setItem(place, JSON.stringify(value));
  } catch {
    // Without browser storage, the answer is still on the page.
  }
}

/* The timer, which pauses while the annotator is away */

const clock = { spent: 0, ticked: performance.now(), moved: performance.now() };

function tick() {
  const now = performance.now();
  const isWatched = !document.hidden && now - clock.moved < IDLE_SECONDS * 1000;
  if (isWatched && !sending) clock.spent += (now - clock.ticked) / 1000;
  clock.ticked = now;
  const shown = byId("clock");
  const text = `${Math.floor(clock.spent / 60)}:${String(Math.floor(clock.spent % 60)).padStart(2, "0")}`;
  if (shown && shown.textContent !== text) shown.textContent = text;
  if (shown) shown.classList.toggle("paused", !isWatched);
}

function restartClock() {
  tick();
  Object.assign(clock, { spent: 0, moved: performance.now(), shown: performance.now() });
  tick();
}

/* The form */

const form = () => byId("form");

function answers() {
  const chosen = [...form().querySelectorAll("input[type=radio]:checked")];
  return Object.fromEntries(chosen.map((input) => [input.name, input.value]));
}

function faults() {
  const failed = [...form().querySelectorAll("input[data-fault]:checked")];
  return failed.map((input) => input.closest("fieldset").dataset.fault);
}

// Returns the names of the unanswered questions, in their order on the page.
function openNames() {
  const names = new Set([...form().querySelectorAll("input[type=radio]")].map((input) => input.name));
  const given = answers();
  return [...names].filter((name) => !(name in given));
}

const isComplete = () => openNames().length === 0;
const asksValidity = () => form().dataset.kind === "criteria";

function refresh() {
  if (!form()) return;
  const record = byId("record");
  const failed = faults();
  record.classList.toggle("rejects", failed.length > 0);
  byId("faults").textContent = failed.join("; ");
  if (!isComplete()) byId("record-text").textContent = `${openNames().length} unanswered`;
  else if (!asksValidity()) byId("record-text").textContent = "Next";
  else if (failed.length === 0) byId("record-text").textContent = "Valid, next";
  else byId("record-text").textContent = failed.length === 1 ? "Not valid, next" : `Not valid (${failed.length}), next`;
  record.setAttribute("aria-label", `${byId("record-text").textContent}${failed.length ? `: ${failed.join("; ")}` : ""}`);
  for (const field of form().querySelectorAll("fieldset[data-question]")) {
    field.classList.toggle("fails", field.querySelector("input[data-fault]:checked") !== null);
    field.classList.toggle("open", field.querySelector("input:checked") === null);
  }
}

function saveDraft() {
  if (form()) save(draftPlace, { pair: form().dataset.pair, answers: answers(), note: byId("note").value, spent: clock.spent });
}

function restoreDraft() {
  const found = load(draftPlace);
  if (!form() || !found || found.pair !== form().dataset.pair) return;
  for (const [name, value] of Object.entries(found.answers)) choose(name, value);
  byId("note").value = found.note;
  clock.spent = found.spent;
}

function choose(name, value) {
  for (const input of form().querySelectorAll("input[type=radio]")) {
    if (input.name === name && input.value === value) input.checked = true;
  }
}

function press(key) {
  const input = [...form().querySelectorAll("input[data-key]")].find((each) => each.dataset.key === key);
  if (!input) return false;
  input.checked = true;
  const question = input.closest("fieldset").querySelector("legend .full").textContent;
  changed(`${question} ${input.nextElementSibling.firstChild.textContent.trim()}`);
  if (form().dataset.kind === "prefer") record();
  return true;
}

function copyAnswers(letter) {
  const readings = [...form().querySelectorAll(".readings li")].filter((each) => each.dataset.reader === letter);
  for (const reading of readings) choose(reading.closest("fieldset").dataset.question, reading.dataset.answer);
  if (readings.length) changed(`Copied the answers of ${letter}`);
  return readings.length > 0;
}

function changed(words) {
  refresh();
  saveDraft();
  if (words) announce(words);
}

const announce = (words) => {
  byId("status").textContent = words;
};

function fitHeight(note) {
  note.style.height = "auto";
  note.style.height = `${note.scrollHeight + 2}px`;
}

/* Requests to the server */

let sending = null;
let wake = null;

function banner(words, button) {
  byId("banner").hidden = !words;
  byId("banner-text").textContent = words || "";
  byId("banner-button").hidden = !button;
  byId("banner-button").textContent = button || "";
}

const pause = (seconds) =>
  new Promise((resolve) => {
    const timer = setTimeout(resolve, seconds * 1000);
    wake = () => {
      clearTimeout(timer);
      resolve();
    };
  });

function ask(request) {
  return fetch(request.path, {
    method: "POST",
    headers: { "Content-Type": "application/json", "X-Form-Token": meta("form-token") },
    body: JSON.stringify(request.body),
    signal: AbortSignal.timeout(TIMEOUT_SECONDS * 1000),
  });
}

// Retries until the server responds. Each retry carries the same token, so that the answer is recorded once.
async function sendWithRetries(request) {
  for (let wait = 1; ; wait = Math.min(wait * 2, LONGEST_WAIT_SECONDS)) {
    try {
      const answer = await ask(request);
      if (answer.status < 500) return answer;
    } catch {
      // No connection, or a timeout.
    }
    banner("The server is not responding. Your answer is stored here and will be sent again.", "Try now");
    await pause(wait);
  }
}

// Blocks the form while a request is pending.
function setSending(isSending) {
  document.body.classList.toggle("sending", isSending);
  if (form()) form().inert = isSending;
}

async function send(request) {
  if (sending) return;
  sending = request;
  setSending(true);
  if (request.path === "/decisions") save(pendingPlace, request);
  const answer = await sendWithRetries(request);
  const text = await answer.text().catch(() => "");
  sending = null;
  setSending(false);
  save(pendingPlace, null);
  if (answer.ok) showNext(text, request);
  else showError(answer.status, text);
}

function showError(status, text) {
  let words = "The server rejected the request.";
  try {
    words = JSON.parse(text).error;
  } catch {
    // The response contains no error message.
  }
  const isExpired = status === 401 || status === 403;
  banner(isExpired ? "Your session has expired. Open your link again; this answer was not recorded." : words, "Reload the pair");
}

const CONFIRMATIONS = { "/decisions": "Recorded.", "/undo": "Undone.", "/skip": "Skipped." };

function showNext(html, request) {
  banner("");
  save(draftPlace, null);
  main.innerHTML = html;
  begin();
  window.scrollTo(0, 0);
  const title = byId("title");
  if (title) title.focus({ preventScroll: true });
  announce(`${CONFIRMATIONS[request.path] || ""} ${byId("count").textContent}`);
}

const newToken = () => Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");

function record() {
  if (!form() || sending || performance.now() - clock.shown < SETTLING_MILLISECONDS) return;
  if (!isComplete()) {
    [...form().querySelectorAll("input[type=radio]")].find((input) => input.name === openNames()[0]).focus();
    announce("Some questions are unanswered.");
    return;
  }
  tick();
  const seconds = Math.round(clock.spent * 10) / 10;
  send({
    path: "/decisions",
    body: { pair: form().dataset.pair, answers: answers(), note: byId("note").value.trim(), seconds, token: newToken() },
  });
}

const undo = () => send({ path: "/undo", body: { token: newToken() } });
const skip = () => form() && send({ path: "/skip", body: { pair: form().dataset.pair } });

/* Keys and buttons */

function openHelp() {
  if (!byId("help").open) byId("help").showModal();
}

function toggleJudge() {
  const judge = byId("judge");
  if (judge) judge.open = !judge.open;
}

// On a phone the field is hidden until now.
function writeNote() {
  form().classList.add("noting");
  byId("note").focus();
  fitHeight(byId("note"));
}

const KEYS = { u: undo, s: skip, n: () => form() && writeNote(), j: toggleJudge, "?": openHelp };

function inNote(event) {
  const leaves = event.key === "Escape" || (event.key === "Enter" && !event.shiftKey && !event.isComposing);
  if (!leaves) return;
  event.preventDefault();
  byId("note").blur();
}

function onKey(event) {
  if (event.ctrlKey || event.metaKey || event.altKey || byId("help").open) return;
  if (event.target.id === "note") inNote(event);
  else if (event.key === "Enter") onEnter(event);
  else if (!event.repeat && !sending && onLetter(event.key)) event.preventDefault();
}

// Enter records the answers, unless a button or a link has the focus.
function onEnter(event) {
  if (event.target.closest("button:not(#record), a, summary")) return;
  event.preventDefault();
  if (!event.repeat) record();
}

function onLetter(key) {
  if (KEYS[key]) {
    KEYS[key]();
    return true;
  }
  if (ranking.isOn()) return ranking.press(key);
  return form() !== null && (press(key) || (key.length === 1 && copyAnswers(key.toUpperCase())));
}

function onClick(event) {
  const button = event.target.closest("button");
  if (!button || sending) return;
  if (button.dataset.do === "undo") undo();
  if (button.dataset.do === "skip") skip();
  if (button.dataset.do === "note") writeNote();
  if (button.dataset.take) copyAnswers(button.dataset.take);
}

function begin() {
  restartClock();
  if (!form()) return;
  form().addEventListener("change", (event) => {
    if (ranking.isOn() && event.target.type === "radio") ranking.click(event.target);
    changed("");
  });
  form().addEventListener("submit", (event) => {
    event.preventDefault();
    record();
  });
  byId("note").addEventListener("input", (event) => {
    fitHeight(event.target);
    saveDraft();
  });
  restoreDraft();
  if (ranking.isOn()) ranking.mark(ranking.nextOpen(null));
  form().classList.toggle("noting", byId("note").value !== "");
  fitHeight(byId("note"));
  refresh();
}

document.addEventListener("keydown", onKey);
main.addEventListener("click", onClick);
byId("help-button").addEventListener("click", openHelp);
byId("banner-button").addEventListener("click", () => (sending ? wake && wake() : location.reload()));
window.addEventListener("online", () => wake && wake());
window.addEventListener("pagehide", saveDraft);
window.addEventListener("beforeunload", (event) => sending && event.preventDefault());
for (const kind of ["keydown", "pointerdown", "pointermove", "scroll", "touchstart"]) {
  window.addEventListener(kind, () => (clock.moved = performance.now()), { passive: true, capture: true });
}
document.addEventListener("visibilitychange", () => {
  clock.moved = performance.now();
  tick();
});
setInterval(tick, 250);
begin();
// Sends an answer left over from an earlier visit; its token tells the server whether it was recorded already.
if (load(pendingPlace)) send(load(pendingPlace));
