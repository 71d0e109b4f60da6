import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { AppError } from '../../lib/errors';

/** The pages that say what the language is. */
const PAGES = ['workflows.md', 'expressions.md'] as const;

let known: string | null = null;

/** The pages of the documentation about the language, one after the other. @throws AppError unavailable when they were not installed */
export function languagePages(): string {
  known ??= PAGES.map((page) => pageAbove(__dirname, page)).join('\n\n');
  return known;
}

/** Found by walking up, since compiled files lie one folder deeper than sources. */
function pageAbove(folder: string, page: string): string {
  try {
    return readFileSync(join(folder, 'docs', page), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
  }
  if (dirname(folder) === folder) {
    throw new AppError('unavailable', `Workflows cannot be written here: docs/${page} is not installed`);
  }
  return pageAbove(dirname(folder), page);
}
