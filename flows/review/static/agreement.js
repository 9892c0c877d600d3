// Refreshes the figures while the page is visible.
"use strict";

const EVERY_SECONDS = 4;

async function refresh() {
  if (document.hidden) return;
  const state = document.getElementById("fresh");
  try {
    const answer = await fetch("/agreement/figures");
    if (!answer.ok) throw new Error(answer.status);
    document.getElementById("figures").innerHTML = await answer.text();
    state.textContent = "Live";
  } catch {
    state.textContent = "Not live: the server is not responding";
  }
}

setInterval(refresh, EVERY_SECONDS * 1000);
document.addEventListener("visibilitychange", refresh);
