import { fieldsOf, valuesOf } from '../../../console/src/model/schema-form';

const SCHEMA = {
  type: 'object',
  required: ['reason'],
  properties: {
    reason: { type: 'string', description: 'Why', maxLength: 2_000 },
    amount: { type: 'number', default: 5 },
    urgent: { type: 'boolean' },
    way: { enum: ['bank', 'card'] },
    delivery_date: { type: 'string', title: 'When' },
    lines: { type: 'array' },
  },
};

describe('a form of a JSON Schema', () => {
  const fields = fieldsOf(SCHEMA) ?? [];

  it('has a control for each property', () => {
    expect(fields.map(({ name, kind, required }) => [name, kind, required])).toEqual([
      ['reason', 'long', true],
      ['amount', 'number', false],
      ['urgent', 'switch', false],
      ['way', 'choice', false],
      ['delivery_date', 'text', false],
      ['lines', 'json', false],
    ]);
    expect(fields.map(({ label }) => label)).toEqual(['Reason', 'Amount', 'Urgent', 'Way', 'When', 'Lines']);
  });

  it('gives values of the types of the schema, and leaves out what is empty', () => {
    expect(valuesOf(fields, { reason: 'late', amount: '2.5', urgent: 'on', way: '', lines: '[1]' })).toEqual({
      reason: 'late',
      amount: 2.5,
      urgent: true,
      lines: [1],
    });
    expect(valuesOf(fields, {})).toEqual({ urgent: false });
  });

  it('names the control whose text is not JSON', () => {
    expect(() => valuesOf(fields, { lines: '[1' })).toThrow('Lines: this is not JSON');
  });

  it('is none for a schema without properties', () => {
    expect(fieldsOf(null)).toBeNull();
    expect(fieldsOf({ type: 'string' })).toBeNull();
    expect(fieldsOf([])).toBeNull();
  });
});
