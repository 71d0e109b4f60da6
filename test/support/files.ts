import { sha256 } from '../../lib/crypto';
import { filePath } from '../../lib/file-path';
import type { FileResult, NodeFiles } from '../../nodes/contract';

/** A file as a test has it. */
export interface FakeFile {
  readonly content: Buffer;
  readonly contentType: string;
}

const refused = <T>(code: string, message: string): FileResult<T> => ({
  kind: 'refused',
  error: { code, message },
  retryable: false,
});

/** A workspace in memory. */
export function fakeFiles(files: Map<string, FakeFile> = new Map()): NodeFiles {
  const viewOf = (path: string, { content, contentType }: FakeFile) => {
    const parsed = filePath(path);
    const name = parsed.kind === 'path' ? parsed.name : path;
    return { path, name, size: content.length, contentType, sha256: sha256(content) };
  };
  return {
    async write({ path, content, contentType }) {
      const parsed = filePath(path);
      if (parsed.kind === 'unusable') return refused('invalid_request', parsed.problem);
      const file = { content: Buffer.from(content), contentType };
      files.set(path, file);
      return { kind: 'done', value: viewOf(path, file) };
    },
    async read({ path, executionId, maxBytes }) {
      const file = executionId === undefined ? files.get(path) : undefined;
      if (file === undefined) return refused('file_not_found', `The run has no file ${path}`);
      if (file.content.length > maxBytes) return refused('payload_too_large', `${path} is too large`);
      return { kind: 'done', value: { ...viewOf(path, file), content: file.content } };
    },
    async share({ path }) {
      if (!files.has(path)) return refused('file_not_found', `The run has no file ${path}`);
      return { kind: 'done', value: { url: `https://files.example/${path}`, id: 'share-of-the-case' } };
    },
  };
}
