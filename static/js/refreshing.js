// Live parts: an element with data-refresh="<seconds>" asks for its page again, with the tag of what it shows, while
// the tab is visible and the reader is not inside it. The answer replaces it with the same part of a fresh page.
(() => {
  const due = new Map();
  const live = () => document.querySelector("[data-refresh]");
  setInterval(() => {
    const part = live();
    if (!part || document.hidden) return;
    if (part.contains(document.activeElement) || part.querySelector("details[open]")) return;
    const at = due.get(part.id) ?? Date.now() + Number(part.dataset.refresh) * 1000;
    if (Date.now() < at) { due.set(part.id, at); return; }
    due.set(part.id, Date.now() + Number(part.dataset.refresh) * 1000);
    window.htmx.trigger(part, "refresh");
  }, 500);
  document.addEventListener("htmx:configRequest", (event) => {
    const tag = event.target.dataset.tag;
    if (tag) event.detail.headers["If-None-Match"] = `"${tag}"`;
  });
})();
