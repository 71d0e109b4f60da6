/** Nesting depth of arrays and objects in a JSON text. */
export function depthOf(json: string): number {
  let depth = 0;
  let deepest = 0;
  for (let i = 0; i < json.length; i++) {
    switch (json.charCodeAt(i)) {
      case 0x22: // "
        i = endOfString(json, i);
        break;
      case 0x5b: // [
      case 0x7b: // {
        depth += 1;
        deepest = Math.max(deepest, depth);
        break;
      case 0x5d: // ]
      case 0x7d: // }
        depth -= 1;
        break;
    }
  }
  return deepest;
}

/** Position of the closing quote: the first one that an even number of backslashes precedes. */
function endOfString(json: string, start: number): number {
  for (let end = json.indexOf('"', start + 1); end !== -1; end = json.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (json[end - 1 - backslashes] === '\\') backslashes += 1;
    if (backslashes % 2 === 0) return end;
  }
  return json.length;
}
