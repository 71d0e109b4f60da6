/** First bytes of files by media type. `at`: where they stand. */
const SIGNATURES: readonly { readonly type: string; readonly at: number; readonly bytes: string }[] = [
  { type: 'application/pdf', at: 0, bytes: '255044462d' },
  { type: 'image/png', at: 0, bytes: '89504e470d0a1a0a' },
  { type: 'image/jpeg', at: 0, bytes: 'ffd8ff' },
  { type: 'image/gif', at: 0, bytes: '47494638' },
  { type: 'image/webp', at: 8, bytes: '57454250' },
  { type: 'application/zip', at: 0, bytes: '504b0304' },
];

const KNOWN: ReadonlySet<string> = new Set(SIGNATURES.map(({ type }) => type));

/** The media type that the first bytes of a file show; null where they show none of the known ones. Pure. */
export function mediaTypeOfBytes(bytes: Buffer): string | null {
  const found = SIGNATURES.find(({ at, bytes: wanted }) => {
    const signature = Buffer.from(wanted, 'hex');
    return bytes.subarray(at, at + signature.length).equals(signature);
  });
  return found?.type ?? null;
}

/** True unless the first bytes contradict the declared media type. Types without a known signature fit anything. Pure. */
export const fitsMediaType = (bytes: Buffer, declared: string): boolean =>
  !KNOWN.has(declared) || mediaTypeOfBytes(bytes) === declared;
