/** Whether a text is an HTTP address to which paths, queries and fragments can be added: it has no query, fragment or user. */
export function isPlainUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password, search, hash } = new URL(text);
  return /^https?:$/.test(protocol) && username === '' && password === '' && search === '' && hash === '';
}
