import { readXml } from '../../xml';

/** Cell styles that show a number as a date or a time, by their place in the list of styles. */
export type DateStyles = ReadonlySet<number>;

const DAY_MS = 86_400_000;
/** Day 0 of the calendar that takes 1900 for a leap year, as days after that February count; and of the other one. */
const EPOCH_1900 = Date.UTC(1899, 11, 30);
const EPOCH_1904 = Date.UTC(1904, 0, 1);
const LAST_DAY = 2_958_466;

/** Formats that have a number and no code of their own (ECMA-376 18.8.30), those of East Asia included. */
const isBuiltIn = (id: number): boolean =>
  (id >= 14 && id <= 22) || (id >= 27 && id <= 36) || (id >= 45 && id <= 47) || (id >= 50 && id <= 58);

/** Reads which styles of a workbook are of dates. */
export function dateStyles(content: Uint8Array | null): DateStyles {
  const dates = new Set<number>();
  if (content === null) return dates;
  const formats = new Map<number, string>();
  let inCells = false;
  let index = 0;
  readXml(content, {
    open: (tag) => {
      if (tag.name === 'numFmt') formats.set(Number(tag.attribute('numFmtId')), tag.attribute('formatCode'));
      if (tag.name === 'cellXfs') inCells = true;
      if (tag.name !== 'xf' || !inCells) return;
      const id = Number(tag.attribute('numFmtId'));
      if (isBuiltIn(id) || isDateFormat(formats.get(id) ?? '')) dates.add(index);
      index += 1;
    },
    close: (name) => {
      if (name === 'cellXfs') inCells = false;
    },
  });
  return dates;
}

/** Whether a format has parts of dates outside of quoted text, escapes, and colours or conditions in brackets. */
function isDateFormat(code: string): boolean {
  const bare = code.slice(0, 500).replaceAll(/"[^"]*"|\\.|\[(?!h+\]|m+\]|s+\])[^\]]*\]|_./gi, '');
  return /[dmyhs]/i.test(bare) && !/general|[#?]/i.test(bare);
}

/** Formats a number of days as a date, a date with time, or a time. */
export function dateText(days: number, from1904: boolean): string {
  if (!Number.isFinite(days) || days < 0 || days > LAST_DAY) return String(days);
  const ms = Math.round((days * DAY_MS) / 1_000) * 1_000;
  const [date = '', time = ''] = new Date((from1904 ? EPOCH_1904 : EPOCH_1900) + ms).toISOString().split('T');
  const clock = time.slice(0, 8);
  if (days < 1) return clock;
  return clock === '00:00:00' ? date : `${date} ${clock}`;
}
