import { Schema, createConnection } from 'mongoose';
import { type Owned, ofTenant, ownedFields } from '../../../lib/tenant';

interface Thing extends Owned {
  name: string;
}

const model = createConnection().model<Thing>('thing', new Schema<Thing>({ ...ownedFields, name: String }));
const filters: unknown[] = [];

beforeEach(() => {
  filters.length = 0;
  jest.spyOn(model, 'deleteMany').mockImplementation(((filter: unknown) => {
    filters.push(filter);
    return { exec: async () => ({ deletedCount: 0 }) };
  }) as never);
});

test.each([undefined, null, '', 7, {}])('a tenant that is %p reaches nothing', (tenant) => {
  expect(() => ofTenant(model, tenant as never)).toThrow(TypeError);
});

test.each([
  [{}],
  [{ name: 'x' }],
  [{ tenant_id: 'other' }],
  [{ tenant_id: { $ne: 'mine' } }],
  [{ $or: [{ tenant_id: 'other' }, {}] }],
])('a filter %j stays within the tenant', async (filter) => {
  await ofTenant(model, 'mine').remove(filter as never);
  expect(filters).toEqual([{ ...filter, tenant_id: 'mine' }]);
});
