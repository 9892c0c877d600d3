// Exchanges the secret part of the link, which is never sent in an address, for a session.
"use strict";

async function enter() {
  const status = document.getElementById("status");
  const link = location.hash.slice(1);
  history.replaceState(null, "", location.pathname);
  if (!link) {
    status.textContent = "This link is incomplete. Open the whole link you were given.";
    return;
  }
  try {
    const answer = await fetch("/session", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ link }),
    });
    await answer.text();
    if (answer.ok) {
      location.replace("/");
      return;
    }
    status.textContent = "Invalid link. Ask for a new one.";
  } catch {
    status.textContent = "The server is not responding. Is `situatedgen review` still running?";
  }
}

enter();
