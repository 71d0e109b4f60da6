import type { Filter, Scalar } from './filter';

/** A query on documents, in MongoDB's words. */
type MongoFilter = Readonly<Record<string, unknown>>;

/**
 * A filter as a query on `metadata`. Every value stands behind an operator, so that none is read as one. Where metadata
 * has a list, one of its members is enough; texts are compared with texts, and numbers with numbers. Pure.
 */
export function toMongo(filter: Filter): MongoFilter {
  switch (filter.kind) {
    case 'all':
      return filter.filters.length === 0 ? {} : { $and: filter.filters.map(toMongo) };
    case 'any':
      return { $or: filter.filters.map(toMongo) };
    case 'not':
      return { $nor: [toMongo(filter.filter)] };
    case 'equal':
      return on(filter.path, '$eq', filter.value);
    case 'unequal':
      return on(filter.path, '$ne', filter.value);
    case 'in':
      return on(filter.path, '$in', filter.values);
    case 'not_in':
      return on(filter.path, '$nin', filter.values);
    case 'exists':
      return on(filter.path, '$exists', filter.wanted);
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
      return on(filter.path, `$${filter.kind}`, filter.value);
  }
}

const on = (path: readonly string[], operator: string, operand: Scalar | readonly Scalar[]): MongoFilter => ({
  [`metadata.${path.join('.')}`]: { [operator]: operand },
});
