// Sets colours and language before anything is drawn: a classic script, because modules run after the first paint.
(function () {
  const LANGUAGES = ["en", "zh"]; // as in texts.js; the first where the browser speaks none of them

  function kept(key) {
    try {
      return localStorage.getItem(key);
    } catch {
      return null; // storage may be forbidden; then system and browser decide
    }
  }

  const theme = kept("hopline.theme");
  if (theme === "light" || theme === "dark") document.documentElement.dataset.theme = theme;
  const spoken = [kept("hopline.language"), ...navigator.languages.map((tag) => tag.split("-")[0].toLowerCase())];
  const language = spoken.find((id) => LANGUAGES.includes(id)) || LANGUAGES[0];
  document.documentElement.dataset.language = language;
  if (!("texts" in document.currentScript.dataset)) return; // a page without texts
  const texts = document.createElement("link");
  texts.rel = "preload";
  texts.as = "fetch";
  texts.crossOrigin = "anonymous";
  texts.href = new URL(`texts/${language}.json`, document.currentScript.src).href;
  document.head.append(texts);
})();
