import { actions } from '../contract';
import * as s from '../../lib/schema';

/** Downloads of the API that a browser may fetch by a link: files of runs, exports of workflows, the audit log. */
const DOWNLOAD =
  /^\/api\/v1\/(?:workspaces\/runs\/[\w-]{1,100}\/files\/[^?#\\]+|workflows\/[\w-]{1,100}\/export(?:\?[^#]*)?|audit\?[^#]+)$/;

export const downloadsActions = actions({
  create_download: {
    rest: 'POST /api/v1/downloads',
    status: 201,
    access: 'viewer',
    given: ['token', 'origin'],
    integrators: true,
    summary: 'Makes a link that downloads a file once, without a credential',
    description:
      '`path`: of `GET /api/v1/workspaces/runs/{id}/files/{path}`, `GET /api/v1/workflows/{id}/export` or `GET /api/v1/audit?format=csv`. The link works for a minute and downloads what the credential of this request may get at that time.',
    params: {
      path: {
        type: 'string',
        max: 4_096,
        pattern: DOWNLOAD,
        messages: {
          stringPattern:
            "The 'path' must be the one of a file of a run, of an export of a workflow, or of the audit log.",
        },
      },
      token: { type: 'string', min: 1, max: 8_192 },
      origin: { type: 'string', max: 300, optional: true, nullable: true },
    },
    result: s.object({ url: s.text, expires_at: s.text }),
    errors: ['rate_limited'],
  },
  redeem_download: {
    // Hands out a credential, so integrators must not have it.
    access: 'internal',
    summary: 'Uses a download link up; returns what it downloads, and by which credential',
    params: { link: { type: 'string', min: 1, max: 100 } },
    result: s.typed<{ path: string; token: string }>(),
    errors: ['not_found'],
  },
});
