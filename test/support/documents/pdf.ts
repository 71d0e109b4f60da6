/** A line of a page: its text, its size and its position from the lower left corner, in points. */
export interface PdfLine {
  readonly text: string;
  readonly size?: number;
  readonly x?: number;
  readonly y: number;
}

/** Errors and rare features of a PDF. */
export interface PdfShape {
  /** Objects by number, in PDF syntax, instead of those that are made; numbers above these are added. */
  readonly objects?: Readonly<Record<number, string>>;
  readonly trailer?: string;
  /** Error of the offsets in the cross-reference table. */
  readonly shift?: number;
}

/** Lines of a page, from its top down, each 14 points below the one before. */
export const pageOf = (...texts: string[]): PdfLine[] => texts.map((text, n) => ({ text, y: 720 - 14 * n }));

const content = (lines: readonly PdfLine[]): string =>
  lines
    .map(
      ({ text, size = 11, x = 72, y }) =>
        `BT /F1 ${size} Tf ${x} ${y} Td (${text.replaceAll(/[\\()]/g, '\\$&')}) Tj ET`,
    )
    .join('\n');

const stream = (text: string): string => `<< /Length ${text.length} >>\nstream\n${text}\nendstream`;

/** A PDF of pages of Latin text (ISO 32000-1). Object 1 is the catalogue, 2 the tree of pages, 3 the font, 4 the metadata. */
export function pdf(pages: readonly (readonly PdfLine[])[], shape: PdfShape = {}): Buffer<ArrayBuffer> {
  const ids = pages.map((_, n) => 5 + 2 * n);
  const objects: Record<number, string> = {
    1: '<< /Type /Catalog /Pages 2 0 R >>',
    2: `<< /Type /Pages /Kids [${ids.map((id) => `${id} 0 R`).join(' ')}] /Count ${ids.length} >>`,
    3: '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>',
    4: '<< /Title (A printed title) >>',
  };
  for (const [n, id] of ids.entries()) {
    objects[id] =
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >> /Contents ${id + 1} 0 R >>`;
    objects[id + 1] = stream(content(pages[n] as readonly PdfLine[]));
  }
  Object.assign(objects, shape.objects);
  let body = '%PDF-1.7\n%\xe2\xe3\xcf\xd3\n';
  const offsets: [number, number][] = [];
  for (const [id, object] of Object.entries(objects)) {
    offsets.push([Number(id), body.length + (shape.shift ?? 0)]);
    body += `${id} 0 obj\n${object}\nendobj\n`;
  }
  const table = offsets.map(([id, at]) => `${id} 1\n${String(Math.max(0, at)).padStart(10, '0')} 00000 n \n`).join('');
  const trailer = shape.trailer ?? `/Size ${Math.max(...offsets.map(([id]) => id)) + 1} /Root 1 0 R /Info 4 0 R`;
  const tail = `xref\n0 1\n0000000000 65535 f \n${table}trailer\n<< ${trailer} >>\nstartxref\n${body.length}\n%%EOF\n`;
  return Buffer.from(body + tail, 'latin1');
}
