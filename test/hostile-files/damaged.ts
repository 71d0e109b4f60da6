import { docx, epub, pptx, shape, wordParagraph, wordTable, xlsx } from '../support/documents/office';
import { pageOf, pdf } from '../support/documents/pdf';
import { Chance } from '../chaos/chance';
import { noise } from './noise';
import { file, type HostileFile } from './file';

/** Valid files, from which damaged ones are made. */
export const SOUND: Readonly<Record<string, () => Buffer<ArrayBuffer>>> = {
  docx: () => docx(wordParagraph('Some text', '<w:pStyle w:val="Heading1"/>') + wordTable([['a', 'b']])),
  pptx: () => pptx([shape('title', [[0, 'Title']]), shape('body', [[0, 'text']])]),
  xlsx: () => xlsx({ Sheet: '<row><c t="s"><v>0</v></c><c><v>1</v></c></row>' }, { shared: ['text'] }),
  epub: () => epub(['<h1>One</h1><p>text</p>', '<p>more</p>']),
  pdf: () => pdf([pageOf('Some text', 'on a page'), pageOf('and another')]),
};

const CUTS = [0, 1, 4, 30, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99];
const FLIPS = 6;
const EXTENSIONS = ['pdf', 'docx', 'pptx', 'xlsx', 'html', 'md', 'csv', 'json', 'epub', 'txt'];

function flipped(bytes: Buffer, seed: number): Buffer {
  const chance = new Chance(seed);
  for (let n = 0; n < 8; n++) bytes[chance.between(0, bytes.length - 1)] = chance.between(0, 255);
  return bytes;
}

/** Truncated files, files with changed bytes or wrong extensions, and random bytes. */
export function damaged(): HostileFile[] {
  const kinds = Object.entries(SOUND);
  return [
    ...kinds.flatMap(([kind, sound]) =>
      CUTS.map((cut) =>
        file(`cut off at ${cut}`, `cut.${kind}`, () => {
          const bytes = sound();
          return bytes.subarray(0, cut < 1 ? Math.floor(bytes.length * cut) : cut);
        }),
      ),
    ),
    ...kinds.flatMap(([kind, sound], index) =>
      Array.from({ length: FLIPS }, (_, n) =>
        file(`changed bytes ${n}`, `changed.${kind}`, () => flipped(sound(), 100 * index + n)),
      ),
    ),
    ...kinds.map(([kind, sound], n) =>
      file(`${kind} named otherwise`, `x.${EXTENSIONS[(n + 5) % 10]}`, sound, 'parsed'),
    ),
    ...EXTENSIONS.map((extension, n) => file('noise', `noise.${extension}`, () => noise(n, 5_000))),
    ...kinds.map(([kind, sound]) =>
      file('noise after its beginning', `begun.${kind}`, () =>
        Buffer.concat([sound().subarray(0, 60), noise(7, 20_000)]),
      ),
    ),
  ];
}
