// Copy buttons: shown only where the browser can copy; the reference itself stands beside them as text.
document.addEventListener("click", async (event) => {
  const button = event.target.closest("[data-copy]");
  if (!button) return;
  await navigator.clipboard.writeText(button.dataset.copy);
  const before = button.textContent;
  button.textContent = button.dataset.copied;
  setTimeout(() => { button.textContent = before; }, 1600);
});
const offer = (root) => {
  if (navigator.clipboard) root.querySelectorAll("[data-copy][hidden]").forEach((button) => { button.hidden = false; });
};
offer(document);
document.addEventListener("htmx:afterSwap", (event) => offer(event.target.parentNode || document));
