// From what was dropped or chosen to requests: files with their folders, what is none, and groups that fit.

import { t } from "../texts.js";

const BODY_SHARE = 0.9; // of the largest body; the rest is for the form around the files
const MOST_FILES = 2000; // of a dropped folder

/**
 * Return the files of a drop, folders searched through, and what cannot be had: {files: [{file, name}],
 * refused: [{uri, error}]}. Call it within the drop's event.
 */
export async function droppedFiles(transfer) {
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
  if (!entries.length) return { files: chosenFiles(transfer.files), refused: [] };
  const found = { files: [], refused: [], isFull: false };
  for (const entry of entries) await gather(entry, found);
  return found;
}

export function chosenFiles(files) {
  return [...files].map((file) => ({ file, name: file.webkitRelativePath || file.name }));
}

async function gather(entry, found) {
  if (found.isFull || entry.name.startsWith(".")) return;
  const name = entry.fullPath.replace(/^\//, "");
  if (found.files.length >= MOST_FILES) {
    found.isFull = true;
    // Told first: of many, the last are not shown.
    found.refused.unshift({ uri: name, error: t("file.too-many", { count: MOST_FILES }) });
    return;
  }
  try {
    if (entry.isFile) found.files.push({ file: await fileOf(entry), name });
    else await gatherFolder(entry, found);
  } catch (error) {
    found.refused.push({ uri: name, error: t("file.unreadable", { error: error.message }) });
  }
}

function fileOf(entry) {
  return new Promise((resolve, reject) => entry.file(resolve, reject));
}

async function gatherFolder(entry, found) {
  const reader = entry.createReader();
  for (;;) {
    const some = await new Promise((resolve, reject) => reader.readEntries(resolve, reject));
    if (!some.length) return; // a reader tells a hundred at a time
    for (const one of some) await gather(one, found);
  }
}

/** Split files into those that the server may take and those that it will not: {taken, refused: [{uri, error}]}. */
export function sorted(files, { formats, limits }) {
  const taken = [];
  const refused = [];
  for (const { file, name } of files) {
    const suffix = (name.match(/\.[^./]+$/)?.[0] ?? "").toLowerCase();
    if (!formats.includes(suffix)) refused.push({ uri: name, error: t("file.format", { formats: formats.join(" ") }) });
    else if (file.size > Math.min(limits.document_bytes, limits.body_bytes * BODY_SHARE)) {
      const error = t("file.too-large", { size: bytes(file.size), most: bytes(limits.document_bytes) });
      refused.push({ uri: name, error });
    } else taken.push({ file, name });
  }
  return { taken, refused };
}

/** Group files into requests, each with no more files and bytes than the server takes at once. */
export function grouped(files, limits) {
  const groups = [];
  let room = 0;
  for (const one of files) {
    const last = groups.at(-1);
    if (!last || last.length >= limits.documents || room < one.file.size) {
      groups.push([one]);
      room = limits.body_bytes * BODY_SHARE - one.file.size;
    } else {
      last.push(one);
      room -= one.file.size;
    }
  }
  return groups;
}

/** 1536 → "1.5 kB" */
export function bytes(size) {
  const units = ["file.bytes", "file.kilobytes", "file.megabytes", "file.gigabytes"];
  let value = size;
  let unit = 0;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return t(units[unit], { size: unit === 0 || value >= 100 ? String(Math.round(value)) : value.toFixed(1) });
}
