// Sets the colours before anything is drawn: a classic script, because modules run after the first paint.
(function () {
  let chosen = null;
  try {
    chosen = localStorage.getItem("hopline.theme");
  } catch {
    // Storage may be forbidden; then the system's colours are shown.
  }
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
})();
