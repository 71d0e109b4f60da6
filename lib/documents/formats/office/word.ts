import type { Archive } from '../../archive';
import { Blocks } from '../../blocks';
import type { ReadFile } from '../../source';
import { readXml } from '../../xml';
import { relatedTo, titleOf } from './package';
import { headingStyles } from './word-styles';
import { WordBody } from './word-body';

/** A document of Word: its body, then its notes. */
export function readWord(archive: Archive, main: string, mostCharacters: number): ReadFile {
  const related = relatedTo(archive, main);
  const styles = related.find(({ type }) => type === 'styles');
  const headings = headingStyles(styles === undefined ? null : archive.find(styles.name));
  const blocks = new Blocks(mostCharacters);
  const read = (part: string): void => {
    const body = new WordBody(headings, blocks);
    readXml(archive.get(part), body);
    body.end();
  };
  read(main);
  for (const { type, name } of related)
    if ((type === 'footnotes' || type === 'endnotes') && archive.has(name)) read(name);
  return { source: blocks.source(), title: titleOf(archive), pages: null, warnings: [] };
}
