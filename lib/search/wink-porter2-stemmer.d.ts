declare module 'wink-porter2-stemmer' {
  /** The stem of an English word in lower case. */
  function stem(word: string): string;
  export = stem;
}
