import { imageSize } from 'image-size';
import { decodeBase64 } from '../../../lib/base64';
import { AppError } from '../../../lib/errors';
import { mediaTypeOfBytes } from '../../../lib/file-signature';
import { LOGO_TYPES, MAX_LOGO_BYTES, MAX_LOGO_PIXELS, type LogoType } from '../../../contracts/auth/branding';
import type { StoredLogo } from './model';

const isLogoType = (type: string | null): type is LogoType => (LOGO_TYPES as readonly (string | null)[]).includes(type);

/**
 * Reads a logo in base64 by its content, whatever its name was. SVG is refused, because it can contain scripts and links.
 * @throws AppError invalid_request, payload_too_large, unsupported_media_type
 */
export function readLogo(data: string): Omit<StoredLogo, 'id'> {
  const bytes = decodeBase64(data);
  if (bytes === null || bytes.length === 0) throw invalid('must be an image in base64');
  if (bytes.length > MAX_LOGO_BYTES)
    throw new AppError('payload_too_large', `A logo has at most ${MAX_LOGO_BYTES / 1024} KiB`);
  const content_type = mediaTypeOfBytes(bytes);
  if (!isLogoType(content_type))
    throw new AppError('unsupported_media_type', 'A logo is a PNG, JPEG or WebP image; other formats are not shown');
  const { width, height } = sizeOf(bytes);
  if (Math.max(width, height) > MAX_LOGO_PIXELS || Math.min(width, height) < 1)
    throw invalid(`must be at most ${MAX_LOGO_PIXELS} pixels wide and high; it has ${width} x ${height}`);
  return { content_type, width, height, size: bytes.length, data: bytes.toString('base64') };
}

function sizeOf(bytes: Buffer): { readonly width: number; readonly height: number } {
  try {
    const { width, height } = imageSize(bytes);
    return { width, height };
  } catch (cause) {
    throw invalid('is damaged: its size cannot be read', cause);
  }
}

const invalid = (message: string, cause?: unknown): AppError =>
  new AppError('invalid_request', `The 'logo' ${message}`, { details: [{ path: 'logo', message }] }, { cause });
