// Files that the browser saves.

const KEPT = 10000; // ms until the browser has read what it saves

export function saveText(name, type, text) {
  saveBlob(name, new Blob([text], { type }));
}

export function saveBlob(name, blob) {
  const url = URL.createObjectURL(blob);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), KEPT);
}
