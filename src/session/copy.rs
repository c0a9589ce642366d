//! `COPY t FROM 'file'`.
