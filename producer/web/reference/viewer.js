// The API's description for reading and trying out, from this server alone.

const KEY = "hopline.key"; // as the page keeps it, in this tab
const DARK = matchMedia("(prefers-color-scheme: dark)");

showColours();
DARK.addEventListener("change", showColours);

globalThis.SwaggerUIBundle({
  url: new URL("openapi.json", document.baseURI).href,
  domNode: document.getElementById("reference"),
  deepLinking: true,
  filter: true,
  docExpansion: "none",
  defaultModelsExpandDepth: 0,
  validatorUrl: null, // it would ask an outside server
  requestInterceptor: withKey,
});

/** Send the key that the page was given in this tab, unless one was given here; to this server only. */
function withKey(request) {
  const key = keptKey();
  const isOurs = new URL(request.url, location.href).origin === location.origin;
  if (key && isOurs && !request.headers.Authorization) request.headers.Authorization = `Bearer ${key}`;
  return request;
}

function keptKey() {
  try {
    return sessionStorage.getItem(KEY) || "";
  } catch {
    return "";
  }
}

function showColours() {
  const chosen = document.documentElement.dataset.theme;
  document.documentElement.classList.toggle("dark-mode", chosen ? chosen === "dark" : DARK.matches);
}
