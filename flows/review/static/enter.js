// Exchanges the secret of the link, which no server log and no other page ever sees, for a session.
"use strict";

async function enter() {
  const told = document.getElementById("told");
  const link = location.hash.slice(1);
  history.replaceState(null, "", location.pathname);
  if (!link) {
    told.textContent = "This address has no secret in it. Open the whole link that was printed for you.";
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
    told.textContent = "This link is not valid here. Ask for a new one.";
  } catch {
    told.textContent = "The server does not answer. Is `situatedgen review` still running?";
  }
}

enter();
