/** Parses a listen address such as `127.0.0.1:27017` or `[::1]:0`. @throws Error for other texts */
export function parseListen(text: string): { host: string; port: number } {
  const [, bracketed, plain, digits] = /^(?:\[([0-9a-f:]+)\]|([^:[\]]+)):(\d{1,5})$/i.exec(text) ?? [];
  const host = bracketed ?? plain;
  const port = Number(digits);
  if (host === undefined || port > 65_535) throw new Error(`"${text}" must be an address and a port: 127.0.0.1:27017`);
  return { host, port };
}
