import { type StallCase, stallCase } from '../case';
import { KIB, letters, lines, repeated, rowsOf, words } from './builders';

const step = (type: string, config: object): unknown[] => [{ id: 'it', type, config }];

/** Node types that read and write formats. */
export const data: readonly StallCase[] = [
  stallCase('csv: parse 900 KB of short cells, too many', async (stage) => {
    const text = `a,b,c\n${lines(150_000, (index) => `${index % 10},x,y`)}`;
    await stage.flow(step('csv', { operation: 'parse', text: '{{ trigger.body.text }}', numbers: ['a'] }), {
      body: { text },
      ends: 'either',
    });
  }),
  stallCase('csv: parse 20,000 rows of four numbers', async (stage) => {
    const text = `a,b,c,d\n${lines(20_000, (index) => `${index % 10},2,3,4`)}`;
    const numbers = ['a', 'b', 'c', 'd'];
    await stage.flow(step('csv', { operation: 'parse', text: '{{ trigger.body.text }}', numbers }), { body: { text } });
  }),
  stallCase('csv: parse wide rows of quoted cells', async (stage) => {
    const header = Array.from({ length: 400 }, (_, index) => `c${index}`).join(',');
    const row = Array.from({ length: 400 }, () => '"x""y"').join(',');
    await stage.flow(step('csv', { operation: 'parse', text: '{{ trigger.body.text }}' }), {
      body: { text: `${header}\n${repeated(`${row}\n`, 800 * KIB)}` },
      ends: 'either',
    });
  }),
  stallCase('csv: write 14,000 rows', async (stage, dice) => {
    await stage.flow(step('csv', { operation: 'stringify', rows: '{{ trigger.body.rows }}', escape_formulas: true }), {
      body: { rows: rowsOf(dice, 14_000) },
      ends: 'either',
    });
  }),
  stallCase('csv: write lists of cells', async (stage) => {
    const rows = Array.from({ length: 70_000 }, () => ['=', 'a"b']);
    await stage.flow(step('csv', { operation: 'stringify', rows: '{{ trigger.body.rows }}', escape_formulas: true }), {
      body: { rows },
      ends: 'either',
    });
  }),
  stallCase('xml: parse 512 KiB of small elements', async (stage) => {
    const text = `<r>${repeated('<a b="c">d</a>', 500 * KIB)}</r>`;
    await stage.flow(step('xml', { operation: 'parse', text: '{{ trigger.body.text }}' }), { body: { text } });
  }),
  stallCase('xml: parse of references to characters', async (stage) => {
    const text = `<r>${repeated('&#x41;&amp;', 500 * KIB)}</r>`;
    await stage.flow(step('xml', { operation: 'parse', text: '{{ trigger.body.text }}' }), { body: { text } });
  }),
  stallCase('xml: build of 60,000 members', async (stage) => {
    const value = { r: { a: Array.from({ length: 60_000 }, (_, n) => ({ '@n': String(n % 10) })) } };
    await stage.flow(step('xml', { operation: 'build', value: '{{ trigger.body.value }}', indent: 2 }), {
      body: { value },
      ends: 'either',
    });
  }),
  stallCase('html: 19,000 small elements, ten selectors', async (stage) => {
    const html = '<p class="a b"><b>x</b>'.repeat(9_500);
    const selectors = Object.fromEntries(
      Array.from({ length: 10 }, (_, n) => [`s${n}`, { selector: `p > b:nth-child(${n + 1})`, all: true }]),
    );
    await stage.flow(step('html_extract', { html: '{{ trigger.body.html }}', selectors }), {
      body: { html },
      ends: 'either',
    });
  }),
  stallCase('html: deep nesting and descendant selectors', async (stage) => {
    const html = `${'<div>'.repeat(290)}x${'</div>'.repeat(290)}`.repeat(50);
    const selectors = { deep: { selector: 'div div div div div', all: true } };
    await stage.flow(step('html_extract', { html: '{{ trigger.body.html }}', selectors }), {
      body: { html },
      ends: 'either',
    });
  }),
  stallCase('markdown: emphasis that is never closed', async (stage) => {
    const text = repeated('*a **b _c ', 60 * KIB);
    await stage.flow(step('markdown', { operation: 'to_html', text: '{{ trigger.body.text }}' }), { body: { text } });
  }),
  stallCase('markdown: brackets, quotes and lists', async (stage) => {
    const text = repeated('> - [a](b "c") `d` ![e][f]\n', 60 * KIB);
    await stage.flow(step('markdown', { operation: 'to_html', text: '{{ trigger.body.text }}' }), { body: { text } });
  }),
  stallCase('markdown: from HTML of small elements', async (stage) => {
    const html = '<ul><li><b>a</b> <a href="b">c</a></li></ul>'.repeat(3_600);
    await stage.flow(step('markdown', { operation: 'from_html', html: '{{ trigger.body.html }}' }), {
      body: { html },
      ends: 'either',
    });
  }),
  stallCase('json: parse 1 MB of rows', async (stage) => {
    const text = JSON.stringify(Array.from({ length: 60_000 }, (_, index) => ({ a: index % 10 })));
    await stage.flow(step('json', { operation: 'parse', text: '{{ trigger.body.text }}' }), { body: { text } });
  }),
  stallCase('json: write with sorted keys', async (stage, dice) => {
    const value = Object.fromEntries(Array.from({ length: 29_000 }, () => [letters(dice, 8), 1]));
    await stage.flow(step('json', { operation: 'stringify', value: '{{ trigger.body.value }}', sort_keys: true }), {
      body: { value },
      ends: 'either',
    });
  }),
  stallCase('json: deep merge of eighty objects', async (stage) => {
    const one = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`k${index}`, { a: { b: index } }]));
    const config = { operation: 'merge', values: '{{ trigger.body.values }}', deep: true };
    await stage.flow(step('json', config), {
      body: { values: Array.from({ length: 80 }, () => one) },
      ends: 'either',
    });
  }),
  stallCase('template: a list of 30,000 items', async (stage) => {
    const items = Array.from({ length: 30_000 }, (_, index) => ({ a: `<${index % 10}>` }));
    const template = '<%# items %><% a %>&<% @index %>\n<%/ items %>';
    await stage.flow(step('template', { template, data: '{{ trigger.body }}' }), { body: { items }, ends: 'either' });
  }),
  stallCase('template: thousands of tags', async (stage) => {
    const template = repeated('<% a.b.c %><%# a %>x<%/ a %>', 200 * KIB);
    await stage.flow(step('template', { template: '{{ trigger.body.template }}', data: { a: { b: { c: 1 } } } }), {
      body: { template },
      ends: 'either',
    });
  }),
  stallCase('datetime: a pattern of 200 letters', async (stage) => {
    const config = {
      operation: 'parse',
      value: '{{ trigger.body.value }}',
      pattern: `${repeated("'a'-", 180)}yyyyMMdd`,
    };
    await stage.flow(step('datetime', config), { body: { value: repeated('a-', 100_000) }, ends: 'failed' });
  }),
  stallCase('crypto: 1 MB hashed', async (stage, dice) => {
    await stage.flow(step('crypto', { operation: 'hash', data: '{{ trigger.body.data }}', algorithm: 'sha512' }), {
      body: { data: words(dice, 1_000_000) },
    });
  }),
  stallCase('filter: 20 conditions over 40,000 items', async (stage) => {
    const items = Array.from({ length: 40_000 }, (_, index) => ({ a: `item ${index}` }));
    const conditions = Array.from({ length: 20 }, () => ({ field: 'a', operator: 'contains', value: 'item' }));
    await stage.flow(step('filter', { items: '{{ trigger.body.items }}', conditions }), {
      body: { items },
      ends: 'either',
    });
  }),
  stallCase('sort: 100,000 texts', async (stage, dice) => {
    const items = Array.from({ length: 100_000 }, () => letters(dice, 6));
    await stage.flow(step('sort', { items: '{{ trigger.body.items }}' }), { body: { items }, ends: 'either' });
  }),
  stallCase('sort: 16,000 long equal beginnings', async (stage, dice) => {
    const begin = repeated('a', 40);
    const items = Array.from({ length: 16_000 }, () => ({ a: begin + letters(dice, 3) }));
    await stage.flow(step('sort', { items: '{{ trigger.body.items }}', by: [{ field: 'a', direction: 'desc' }] }), {
      body: { items },
      ends: 'either',
    });
  }),
  stallCase('aggregate: 15,000 items in as many groups', async (stage) => {
    const items = Array.from({ length: 15_000 }, (_, index) => ({ a: index, b: 1 }));
    const operations = ['sum'].map((operation) => ({ operation, field: 'b', name: operation }));
    await stage.flow(step('aggregate', { items: '{{ trigger.body.items }}', operations, group_by: ['a'] }), {
      body: { items },
      ends: 'either',
    });
  }),
  stallCase('dedupe: 60,000 objects', async (stage) => {
    const items = Array.from({ length: 60_000 }, (_, index) => ({ a: index }));
    await stage.flow(step('dedupe', { items: '{{ trigger.body.items }}' }), { body: { items }, ends: 'either' });
  }),
];
