// Send the answer of a person to what an agent asked: a button (data-answer) in the request that it answers (data-approval).
async function send(button) {
  const request = button.closest("[data-approval]");
  const status = request.querySelector("[role=status]");
  const code = document.getElementById("answer-code");
  if (!code.value.trim()) {
    status.textContent = "Type the code first that the terminal shows.";
    code.focus();
    return;
  }
  const buttons = request.querySelectorAll("button[data-answer]");
  for (const one of buttons) one.disabled = true;
  const told = {
    id: request.dataset.approval,
    answer: button.dataset.answer,
    reason: request.querySelector("input[name=reason]")?.value ?? "",
    code: code.value.trim(),
  };
  let said = "The server does not answer.";
  let done = false;
  try {
    const answer = await fetch("/answer", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(told),
    });
    const found = await answer.json();
    done = answer.ok;
    said = done ? found.rows[0].said : found.error.message;
  } catch {
    done = false;
  }
  status.textContent = said;
  status.className = done ? "good" : "bad";
  for (const one of buttons) {
    if (done) one.remove();
    else one.disabled = false;
  }
}

document.addEventListener("click", (event) => {
  const button = event.target.closest?.("[data-approval] button[data-answer]");
  if (button) send(button);
});
