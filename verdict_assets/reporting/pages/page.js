/* A tap on a number says what it is (definition, counts, interval) and the command that audits it. */
(() => {
  const card = document.getElementById("card");
  const text = card.querySelector("span"), id = card.querySelector("code");
  const definitions = JSON.parse(document.getElementById("definitions").textContent);
  const meaning = (number) => definitions[number] || definitions[number.replace(/\/.*\//, "//")] || "";
  let current = null;
  const close = () => { card.hidden = true; if (current) current.classList.remove("on"); current = null; };
  document.addEventListener("click", (event) => {
    const number = event.target.closest("a.n");
    if (!number) { if (!event.target.closest("#card")) close(); return; }
    event.preventDefault();
    close();
    const lines = number.title.split("\n");
    const name = lines.pop();
    id.textContent = "verdict audit " + name;
    text.textContent = [meaning(name), ...lines].join("\n");
    current = number;
    current.classList.add("on");
    history.replaceState(null, "", "#" + name);
    card.hidden = false;
  });
  card.querySelector("button").addEventListener("click", close);
  document.addEventListener("keydown", (event) => { if (event.key === "Escape") close(); });
})();
