/** Marks an SQLite file as a store: the `application_id` in the header of the file ("Palm"). */
export const STORE_APPLICATION_ID = 0x50616c6d;
