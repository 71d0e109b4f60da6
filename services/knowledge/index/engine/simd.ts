/**
 * The inner loop of the search by vectors, in WebAssembly with SIMD: the dot products of one vector with many that lie one
 * behind the other. Put together here, as it is short and needs no compiler; the names are those of the instructions
 * (webassembly.github.io/spec/core/binary). In WebAssembly's own text:
 *
 *   (func (export "dot") (param $query i32) (param $row i32) (param $rows i32) (param $bytes i32) (param $out i32)
 *     (local $q i32) (local $end i32) (local $a v128) (local $b v128) (local $c v128) (local $d v128)
 *     (block $done (loop $next
 *       (br_if $done (i32.eqz (local.get $rows)))
 *       $q = $query; $end = $row + $bytes; $a = $b = $c = $d = 0
 *       (loop $part                                         ;; 16 floats at a time
 *         $a += load($row) * load($q) ... $d += load($row + 48) * load($q + 48)
 *         $row += 64; $q += 64
 *         (br_if $part (i32.lt_u $row $end)))
 *       store($out, sum of the four lanes of ($a + $b) + ($c + $d))
 *       $out += 4; $rows -= 1
 *       (br $next))))
 */

/** Rows are whole numbers of this many floats, filled up with zeros. */
export const LANE_FLOATS = 16;

/** `rows` dot products of the vector at `query` with those at `row`, each of `bytes` bytes, to `out`. Addresses in bytes. */
export type Dot = (query: number, row: number, rows: number, bytes: number, out: number) => void;

const I32 = 0x7f;
const V128 = 0x7b;
const NO_RESULT = 0x40;

/** Unsigned LEB128, as sizes, indexes and opcodes are. */
const number = (value: number): number[] => (value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...number(value >>> 7)]);
/** Signed LEB128 of what is not negative: bit 6 of the last byte is the sign. */
const signed = (value: number): number[] => (value < 0x40 ? [value] : [(value & 0x7f) | 0x80, ...signed(value >>> 7)]);
const counted = (items: readonly (readonly number[])[]): number[] => [...number(items.length), ...items.flat()];
const sized = (bytes: readonly number[]): number[] => [...number(bytes.length), ...bytes];
const named = (text: string): number[] => sized([...Buffer.from(text)]);
const section = (id: number, bytes: readonly number[]): number[] => [id, ...sized(bytes)];

const get = (local: number): number[] => [0x20, local];
const set = (local: number): number[] => [0x21, local];
const i32Const = (value: number): number[] => [0x41, ...signed(value)];
const I32_ADD = [0x6a];
const I32_SUB = [0x6b];
const I32_EQZ = [0x45];
const I32_LT_U = [0x49];
const F32_ADD = [0x92];
const BLOCK = [0x02, NO_RESULT];
const LOOP = [0x03, NO_RESULT];
const END = [0x0b];
const branch = (depth: number): number[] => [0x0c, depth];
const branchIf = (depth: number): number[] => [0x0d, depth];
const simd = (opcode: number): number[] => [0xfd, ...number(opcode)];
/** Alignment is given as a power of two; 4 is 16 bytes. */
const load = (offset: number): number[] => [...simd(0), 4, ...number(offset)];
const f32Store = [0x38, 2, 0];
const ZERO = [...simd(12), ...new Array<number>(16).fill(0)];
const F32X4_ADD = simd(228);
const F32X4_MUL = simd(230);
const lane = (n: number): number[] => [...simd(31), n];

const [QUERY, ROW, ROWS, BYTES, OUT, Q, ROW_END, A, B, C, D] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10] as const;

const move = (local: number, by: number): number[] => [...get(local), ...i32Const(by), ...I32_ADD, ...set(local)];
const multiplyAdd = (sum: number, offset: number): number[] => [
  ...[...get(sum), ...get(ROW), ...load(offset), ...get(Q), ...load(offset)],
  ...[...F32X4_MUL, ...F32X4_ADD, ...set(sum)],
];

const BODY = [
  ...[...BLOCK, ...LOOP],
  ...[...get(ROWS), ...I32_EQZ, ...branchIf(1)],
  ...[...get(QUERY), ...set(Q)],
  ...[...get(ROW), ...get(BYTES), ...I32_ADD, ...set(ROW_END)],
  ...[A, B, C, D].flatMap((sum) => [...ZERO, ...set(sum)]),
  ...LOOP,
  ...[A, B, C, D].flatMap((sum, n) => multiplyAdd(sum, 16 * n)),
  ...[...move(ROW, 64), ...move(Q, 64)],
  ...[...get(ROW), ...get(ROW_END), ...I32_LT_U, ...branchIf(0)],
  ...END,
  ...[...get(A), ...get(B), ...F32X4_ADD, ...get(C), ...get(D), ...F32X4_ADD, ...F32X4_ADD, ...set(A)],
  ...get(OUT),
  ...[...get(A), ...lane(0), ...get(A), ...lane(1), ...F32_ADD],
  ...[...get(A), ...lane(2), ...F32_ADD, ...get(A), ...lane(3), ...F32_ADD],
  ...f32Store,
  ...move(OUT, 4),
  ...[...get(ROWS), ...i32Const(1), ...I32_SUB, ...set(ROWS)],
  ...branch(0),
  ...[...END, ...END, ...END],
];

/** The module. It imports its memory as `host.memory`. */
export const DOT_MODULE = Uint8Array.from([
  ...[0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
  ...section(1, counted([[0x60, ...counted(new Array<number[]>(5).fill([I32])), ...counted([])]])),
  ...section(2, counted([[...named('host'), ...named('memory'), 2, 0, 1]])),
  ...section(3, counted([[0]])),
  ...section(7, counted([[...named('dot'), 0, 0]])),
  ...section(
    10,
    counted([
      sized([
        ...counted([
          [2, I32],
          [4, V128],
        ]),
        ...BODY,
      ]),
    ]),
  ),
]);

/** The function over a memory. */
export async function compileDot(memory: WebAssembly.Memory): Promise<Dot> {
  const compiled = await WebAssembly.compile(DOT_MODULE);
  return new WebAssembly.Instance(compiled, { host: { memory } }).exports.dot as Dot;
}
