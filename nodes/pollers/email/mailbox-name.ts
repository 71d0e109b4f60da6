/** The name of a mailbox as IMAP4rev1 writes it, in its own kind of UTF-7 (RFC 3501 section 5.1.3). */
export const mailboxName = (name: string): string =>
  name.replaceAll('&', '&-').replace(/[^\x20-\x7e]+/g, (text) => `&${base64Of(text)}-`);

function base64Of(text: string): string {
  const bytes = Buffer.from(text, 'utf16le').swap16();
  return bytes.toString('base64').replace(/=+$/, '').replaceAll('/', ',');
}
