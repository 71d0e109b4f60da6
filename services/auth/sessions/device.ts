/** Browsers and programs, the more specific first: most browsers also name those that they are compatible with. */
const PROGRAMS: readonly (readonly [RegExp, string])[] = [
  [/\bEdgA?(?:iOS)?\//, 'Edge'],
  [/\bOPR\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:Chrome|CriOS)\//, 'Chrome'],
  [/\bVersion\/.*\bSafari\//, 'Safari'],
];

const SYSTEMS: readonly (readonly [RegExp, string])[] = [
  [/\bAndroid\b/, 'Android'],
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bWindows\b/, 'Windows'],
  [/\bMac OS X\b|\bMacintosh\b/, 'macOS'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bLinux\b/, 'Linux'],
];

const MAX_READ_CHARS = 400;
const MAX_PRODUCT_CHARS = 60;

/** A `User-Agent` as people read it, such as "Firefox on Linux"; for other programs the first product. Null without one. */
export function deviceOf(userAgent: string | undefined): string | null {
  const text = (userAgent ?? '').slice(0, MAX_READ_CHARS);
  const nameIn = (table: typeof PROGRAMS) => table.find(([pattern]) => pattern.test(text))?.[1];
  const product = /^[\w.-]+(?:\/[\w.-]+)?/.exec(text)?.[0].slice(0, MAX_PRODUCT_CHARS);
  const program = nameIn(PROGRAMS) ?? (product?.startsWith('Mozilla/') === true ? undefined : product);
  const system = nameIn(SYSTEMS);
  if (program === undefined) return system ?? product ?? null;
  return system === undefined ? program : `${program} on ${system}`;
}
