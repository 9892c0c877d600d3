// Keeps the figures fresh while somebody looks at them.
"use strict";

const EVERY_SECONDS = 4;

async function renew() {
  if (document.hidden) return;
  const told = document.getElementById("fresh");
  try {
    const answer = await fetch("/agreement/figures");
    if (!answer.ok) throw new Error(answer.status);
    document.getElementById("figures").innerHTML = await answer.text();
    told.textContent = "Live";
  } catch {
    told.textContent = "Not live: the server is not responding";
  }
}

setInterval(renew, EVERY_SECONDS * 1000);
document.addEventListener("visibilitychange", renew);
