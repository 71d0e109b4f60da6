import { setOwn } from '../../../dsl';
import { isObject, type Json, type JsonObject } from '../../../lib/json';
import { listIn, member, objectIn, textIn } from '../json';

/** The properties of a page as plain values, by name: texts, numbers, lists of names. Others are left as they are. */
export function plainProperties(page: JsonObject): JsonObject {
  const plain: JsonObject = {};
  for (const [name, property] of Object.entries(objectIn(page, 'properties'))) setOwn(plain, name, plainOf(property));
  return plain;
}

function plainOf(property: Json): Json {
  const type = textIn(property, 'type') ?? '';
  const value = member(property, type) ?? null;
  switch (type) {
    case 'title':
    case 'rich_text':
      return listIn(property, type)
        .map((part) => textIn(part, 'plain_text') ?? '')
        .join('');
    case 'select':
    case 'status':
      return textIn(value, 'name');
    case 'multi_select':
    case 'people':
      return listIn(property, type).map((each) => textIn(each, 'name'));
    case 'relation':
      return listIn(property, type).map((each) => textIn(each, 'id'));
    case 'formula':
      return isObject(value) ? (member(value, textIn(value, 'type') ?? '') ?? null) : null;
    default:
      return value;
  }
}
