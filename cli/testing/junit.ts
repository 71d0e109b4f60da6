/** Results as JUnit XML, which CI systems read. Pure. */
import type { CaseResult } from './run-case';

export function junitOf(results: readonly CaseResult[]): string {
  const files = [...new Set(results.map(({ file }) => file))];
  const suites = files.map((file) => {
    const cases = results.filter((each) => each.file === file);
    const lines = cases.map((each) => {
      const head = `    <testcase name="${escaped(each.name)}" classname="${escaped(file)}" time="${seconds(each.ms)}"`;
      if (each.faults.length === 0) return `${head}/>`;
      const text = escaped(each.faults.join('\n'));
      return `${head}>\n      <failure message="${escaped(each.faults[0] ?? '')}">${text}</failure>\n    </testcase>`;
    });
    return [`  <testsuite name="${escaped(file)}" ${totals(cases)}>`, ...lines, '  </testsuite>'].join('\n');
  });
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites ${totals(results)}>\n${suites.join('\n')}\n</testsuites>\n`;
}

function totals(results: readonly CaseResult[]): string {
  const failures = results.filter(({ faults }) => faults.length > 0).length;
  const ms = results.reduce((sum, each) => sum + each.ms, 0);
  return `tests="${results.length}" failures="${failures}" time="${seconds(ms)}"`;
}

const seconds = (ms: number): string => (ms / 1_000).toFixed(3);

const ENTITIES: Readonly<Record<string, string>> = {
  '<': '&lt;',
  '>': '&gt;',
  '&': '&amp;',
  '"': '&quot;',
  '\n': '&#10;',
};

/** Control characters are not allowed in XML at all. */
const escaped = (text: string): string =>
  text
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|[\ud800-\udfff](?![\udc00-\udfff])/g, '?')
    .replace(/[<>&"\n]/g, (mark) => ENTITIES[mark] as string);
