import { Archive } from './archive';
import { ParseError } from './fault';
import { mainPart } from './formats/office/package';

/** The type of a file, with by-products of its detection. */
export type FileKind =
  | { readonly kind: 'pdf' }
  | { readonly kind: 'epub'; readonly archive: Archive }
  | { readonly kind: 'docx' | 'pptx' | 'xlsx'; readonly archive: Archive; readonly main: string }
  | { readonly kind: TextKind };
export type TextKind = 'html' | 'markdown' | 'csv' | 'json' | 'text';

/** The declared type and name of a file. */
interface Claims {
  readonly filename: string | null;
  readonly contentType: string | null;
  readonly url: string | null;
}

export const CONTENT_TYPES: Readonly<Record<FileKind['kind'], string>> = {
  pdf: 'application/pdf',
  docx: 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  pptx: 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
  epub: 'application/epub+zip',
  html: 'text/html',
  markdown: 'text/markdown',
  csv: 'text/csv',
  json: 'application/json',
  text: 'text/plain',
};

const READ = 'PDF, DOCX, PPTX, XLSX, EPUB, HTML, Markdown, CSV, JSON and plain text are supported.';

/**
 * Detects the type of a file: by its bytes if they are conclusive, else by the declared type and name. @throws
 * ParseError
 */
export function fileKind(content: Uint8Array, claims: Claims): FileKind {
  const bytes = Buffer.from(content.buffer, content.byteOffset, content.byteLength);
  const claimed = claimedKind(claims);
  const mark = bytes.subarray(0, HEAD).indexOf('%PDF-');
  // Readers skip bytes before the signature, but a text may contain it as well.
  if (mark === 0 || (mark > 0 && !isTextKind(claimed))) return { kind: 'pdf' };
  if (startsWith(bytes, 'PK\x03\x04') || startsWith(bytes, 'PK\x05\x06')) return archiveKind(content);
  if (startsWith(bytes, OLE)) throw oldOffice(bytes);
  const text = isTextual(bytes.subarray(0, HEAD));
  const other = OTHERS.find(
    ({ magic, at = 0, isText }) => text === (isText ?? false) && startsWith(bytes.subarray(at), magic),
  );
  if (other !== undefined)
    throw new ParseError(
      'unsupported_type',
      `The file is ${other.what}, which is not supported${other.hint ?? ''}. ${READ}`,
    );
  if (claimed === 'pdf' || claimed === 'docx' || claimed === 'pptx' || claimed === 'xlsx' || claimed === 'epub')
    throw new ParseError(
      'broken_file',
      `The file is declared as ${claimed.toUpperCase()}, but its content is not. Save it again with the program it comes from.`,
    );
  return { kind: claimed ?? 'text' };
}

const HEAD = 1_024;

/** Whether a prefix is valid UTF-8; its last character may be cut. */
function isTextual(head: Buffer): boolean {
  if (/[\0-\x08\x0e-\x1a\x1c-\x1f\x7f]/.test(head.toString('latin1'))) return false;
  return !head.toString().slice(0, -1).includes('\ufffd');
}

const startsWith = (bytes: Buffer, magic: string): boolean => bytes.toString('latin1', 0, magic.length) === magic;

const OLE = '\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1';

const OTHERS: readonly {
  readonly magic: string;
  readonly at?: number;
  readonly what: string;
  readonly hint?: string;
  /** `isText`: the file is text; others begin with text only by coincidence. */
  readonly isText?: true;
}[] = [
  ...['\x89PNG', '\xff\xd8\xff', 'GIF8', 'II*\0', 'MM\0*', 'BM6'].map((magic) => ({ magic, what: 'an image' })),
  { magic: 'WEBP', at: 8, what: 'an image' },
  { magic: 'WAVE', at: 8, what: 'a sound' },
  ...['ID3', 'OggS', 'fLaC', '\xff\xfb'].map((magic) => ({ magic, what: 'a sound' })),
  ...['\x1a\x45\xdf\xa3', '\0\0\x01\xba'].map((magic) => ({ magic, what: 'a film' })),
  { magic: 'ftyp', at: 4, what: 'video, audio or an image' },
  ...['\x1f\x8b', 'BZh', '7z\xbc\xaf\x27\x1c', 'Rar!', '\xfd7zXZ', '\x28\xb5\x2f\xfd'].map((magic) => ({
    magic,
    what: 'an archive',
    hint: '; upload its content',
  })),
  ...['\x7fELF', 'MZ', '\xca\xfe\xba\xbe', '\0asm'].map((magic) => ({ magic, what: 'a program' })),
  { magic: '{\\rtf', what: 'in the format RTF', hint: '; save it as DOCX or PDF', isText: true },
  { magic: '%!PS', what: 'in the format PostScript', hint: '; save it as PDF', isText: true },
  { magic: 'SQLite format 3\0', what: 'a database' },
];

/** The container of Office before 2007, also used for encrypted later documents. */
function oldOffice(bytes: Buffer): ParseError {
  return bytes.includes(Buffer.from('EncryptedPackage', 'utf16le'))
    ? new ParseError('encrypted', 'The document is protected by a password. Save it without one.')
    : new ParseError(
        'unsupported_type',
        'The file is in the format of Office before 2007 (DOC, XLS, PPT, MSG), which is not supported. Save it as DOCX, XLSX, PPTX or PDF.',
      );
}

const OFFICE: readonly (readonly [string, 'docx' | 'pptx' | 'xlsx'])[] = [
  ['wordprocessingml', 'docx'],
  ['ms-word.document.macroEnabled', 'docx'],
  ['presentationml', 'pptx'],
  ['ms-powerpoint.presentation.macroEnabled', 'pptx'],
  ['spreadsheetml', 'xlsx'],
  ['ms-excel.sheet.macroEnabled', 'xlsx'],
];

function archiveKind(content: Uint8Array): FileKind {
  const archive = new Archive(content);
  const main = mainPart(archive);
  const office = OFFICE.find(([word]) => main?.contentType.includes(word));
  if (main !== null && office !== undefined) return { kind: office[1], archive, main: main.name };
  if (archive.has('META-INF/container.xml')) return { kind: 'epub', archive };
  const hint = archive.has('mimetype') ? 'Save it as DOCX, XLSX, PPTX or PDF.' : 'Upload the files in it one by one.';
  throw new ParseError('unsupported_type', `The archive is of an unsupported kind. ${hint} ${READ}`);
}

const EXTENSIONS: Readonly<Record<string, FileKind['kind']>> = {
  pdf: 'pdf',
  docx: 'docx',
  docm: 'docx',
  pptx: 'pptx',
  pptm: 'pptx',
  xlsx: 'xlsx',
  xlsm: 'xlsx',
  epub: 'epub',
  html: 'html',
  htm: 'html',
  xhtml: 'html',
  md: 'markdown',
  markdown: 'markdown',
  csv: 'csv',
  tsv: 'csv',
  json: 'json',
  jsonl: 'json',
  ndjson: 'json',
  txt: 'text',
  log: 'text',
};

const TYPES = new Map<string, FileKind['kind']>([
  ...Object.entries(CONTENT_TYPES).map(([kind, type]) => [type, kind as FileKind['kind']] as const),
  ['application/xhtml+xml', 'html'],
  ['text/x-markdown', 'markdown'],
  ['text/tab-separated-values', 'csv'],
  ['application/csv', 'csv'],
  ['application/x-ndjson', 'json'],
  ['text/json', 'json'],
]);

const isTextKind = (kind: FileKind['kind'] | null): boolean =>
  kind === 'text' || kind === 'markdown' || kind === 'html' || kind === 'csv' || kind === 'json';

/** The file name decides when the media type is generic. */
function claimedKind({ filename, contentType, url }: Claims): FileKind['kind'] | null {
  const type = (contentType ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
  const byType = TYPES.get(type) ?? (type.endsWith('+json') ? 'json' : null);
  if (byType !== null && byType !== 'text') return byType;
  const path = filename ?? (url !== null && URL.canParse(url) ? new URL(url).pathname : '');
  const extension = /\.([a-z0-9]{1,8})$/i.exec(path.slice(-20))?.[1]?.toLowerCase() ?? '';
  return Object.hasOwn(EXTENSIONS, extension) ? (EXTENSIONS[extension] as FileKind['kind']) : byType;
}
