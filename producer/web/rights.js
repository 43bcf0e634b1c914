// What the caller may do, as far as the page offers it; the server decides.

/** Whether the caller sees some documents only: what reads a whole collection is refused then. */
export async function isLimited({ about }) {
  const told = await about().catch(() => null);
  return Boolean(told?.caller?.principals);
}

/** Whether a caller may add, change and remove documents: whoever sees some only changes none. */
export function mayChange({ scopes, principals }) {
  return !principals && (scopes.includes("submit") || scopes.includes("admin"));
}

/** Whether the caller may do what is an administrator's. */
export async function isAdmin({ about }) {
  const told = await about().catch(() => null);
  const { scopes = [], principals = null } = told?.caller ?? {};
  return scopes.includes("admin") && !principals;
}
