/** Whether a text is an HTTP URL that can be extended: no query, fragment or user. */
export function isPlainUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password, search, hash } = new URL(text);
  return /^https?:$/.test(protocol) && username === '' && password === '' && search === '' && hash === '';
}
