import { type Archive, partName } from '../archive';
import { Blocks } from '../blocks';
import { ParseError } from '../fault';
import { MAX_PAGES } from '../limits';
import type { ReadFile } from '../source';
import { decodeText } from '../text';
import { readXml } from '../xml';
import { readChapter } from './html';

const CONTAINER = 'META-INF/container.xml';
const ENCRYPTION = 'META-INF/encryption.xml';
/** Fonts that are made unreadable for other programs; the text is not. */
const FONTS_ALONE = new Set(['http://www.idpf.org/2008/embedding', 'http://ns.adobe.com/pdf/enc#RC']);

/** A book (EPUB 2 and 3): its chapters in reading order, each of which is a page. */
export function readEpub(archive: Archive, maxCharacters: number): ReadFile {
  assertOpen(archive);
  const name = packageName(archive);
  const { title, chapters } = packageOf(archive, name);
  if (chapters.length > MAX_PAGES)
    throw new ParseError('too_large', `The book has more than ${MAX_PAGES} chapters. Split it into several.`);
  const blocks = new Blocks(maxCharacters);
  const missing: number[] = [];
  for (const [index, reference] of chapters.entries()) {
    const content = archive.find(partName(name, reference));
    if (content === null) missing.push(index + 1);
    else blocks.addAll(readChapter(decodeText(content, null).text, index + 1).blocks);
  }
  const warnings = missing.length === 0 ? [] : [`The book lacks ${missing.length} of its chapters.`];
  return { source: blocks.source(), title, pages: chapters.length, warnings };
}

function assertOpen(archive: Archive): void {
  const encryption = archive.find(ENCRYPTION);
  if (encryption === null) return;
  readXml(encryption, {
    open: (tag) => {
      if (tag.name === 'EncryptionMethod' && !FONTS_ALONE.has(tag.attribute('Algorithm')))
        throw new ParseError('encrypted', 'The book is protected against copying. Upload one without protection.');
    },
  });
}

function packageName(archive: Archive): string {
  let name = '';
  readXml(archive.get(CONTAINER), {
    open: (tag) => {
      if (tag.name === 'rootfile' && name === '') name = tag.attribute('full-path');
    },
  });
  return partName('', name);
}

/** The title, and the chapters of the spine as references. */
function packageOf(archive: Archive, name: string): { title: string | null; chapters: string[] } {
  const items = new Map<string, string>();
  const spine: string[] = [];
  let title = '';
  let inTitle = false;
  readXml(archive.get(name), {
    open: (tag) => {
      if (tag.name === 'title' && title === '') inTitle = true;
      if (tag.name === 'item' && /html|xml/.test(tag.attribute('media-type')))
        items.set(tag.attribute('id'), tag.attribute('href'));
      if (tag.name === 'itemref') spine.push(tag.attribute('idref'));
    },
    text: (text) => {
      if (inTitle) title += text;
    },
    close: (closed) => {
      if (closed === 'title') inTitle = false;
    },
  });
  const chapters = spine.flatMap((id) => items.get(id) ?? []);
  return { title: title.trim().slice(0, 300) || null, chapters };
}
