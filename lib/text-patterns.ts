/** A text as the source of a regular expression that matches it alone; also for `$regex` of MongoDB. */
export const literalPattern = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&');

/** A message without the credentials of the URLs in it: drivers repeat them. Pure. */
export const withoutUrlCredentials = (text: string): string =>
  text.replace(/([a-z][a-z0-9+.-]*:\/\/)[^\s/@]*@/gi, '$1***@');
