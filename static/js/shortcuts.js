// Single keys to move about. No key signs, refuses or concludes; the menu switches all of them off.
document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.target.closest("input, textarea, select, [contenteditable]")) return;
  const rows = [...document.querySelectorAll(".row .title a")];
  const here = rows.indexOf(document.activeElement);
  const go = { j: Math.min(here + 1, rows.length - 1), k: Math.max(here - 1, 0) }[event.key];
  if (go !== undefined && rows.length) { event.preventDefault(); rows[go].focus(); return; }
  if (event.key === "/") {
    const search = document.querySelector('input[type="search"]');
    if (search) { event.preventDefault(); search.focus(); }
  }
  if (event.key === "?") document.getElementById("keys")?.showModal();
  if (event.key === "c") document.querySelector("[data-claim]")?.click();
});
document.addEventListener("click", (event) => {
  if (event.target.closest("[data-keys]")) document.getElementById("keys")?.showModal();
});
document.querySelectorAll("[data-keys][hidden]").forEach((button) => { button.hidden = false; });
