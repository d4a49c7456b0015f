/** The client packages of some kinds of targets, with the releases that palimpsest is tested with. */
export const CLIENTS = {
  '@aws-sdk/client-s3': '3.1169.0',
  '@azure/identity': '4.13.1',
  '@azure/storage-blob': '12.32.0',
} as const;
