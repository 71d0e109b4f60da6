import type { Filter, Scalar } from './filter';

/** A MongoDB filter on documents. */
type MongoFilter = Readonly<Record<string, unknown>>;

/**
 * Converts a filter to a MongoDB filter on `metadata`. Every value is the operand of an explicit operator, so no value is
 * read as an operator. An array matches if one of its members does. Values of different types never match. Pure.
 */
export function toMongoFilter(filter: Filter): MongoFilter {
  switch (filter.kind) {
    case 'all':
      return filter.filters.length === 0 ? {} : { $and: filter.filters.map(toMongoFilter) };
    case 'any':
      return { $or: filter.filters.map(toMongoFilter) };
    case 'not':
      return { $nor: [toMongoFilter(filter.filter)] };
    case 'equal':
      return condition(filter.path, '$eq', filter.value);
    case 'unequal':
      return condition(filter.path, '$ne', filter.value);
    case 'in':
      return condition(filter.path, '$in', filter.values);
    case 'not_in':
      return condition(filter.path, '$nin', filter.values);
    case 'exists':
      return condition(filter.path, '$exists', filter.expected);
    case 'gt':
    case 'gte':
    case 'lt':
    case 'lte':
      return condition(filter.path, `$${filter.kind}`, filter.value);
  }
}

const condition = (path: readonly string[], operator: string, operand: Scalar | readonly Scalar[]): MongoFilter => ({
  [`metadata.${path.join('.')}`]: { [operator]: operand },
});
