/** Saves the body of an answer as a file, as the browser does with a download. */
export const saveResponse = async (response: Response, name: string): Promise<void> =>
  saveBlob(await response.blob(), name);

/** Saves data as a file, as the browser does with a download. */
export function saveBlob(blob: Blob, name: string): void {
  const url = URL.createObjectURL(blob);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
