//! Requests and answers as bytes: `u32` length, then header and message, each with its length in front, then cells.
//!
//! What comes from the network is not trusted: a length that is too great, or that goes beyond what is there, is an error
//! before anything is allocated for it.

use bytes::Bytes;
use prost::Message;

use super::messages::{
    ConnectionHeader, RequestHeader, ResponseHeader, UserInformation, VersionInfo,
};
use crate::error::{Error, Result};

/// The longest answer that is taken.
pub(super) const LONGEST: usize = 256 << 20;

/// What a connection begins with: no encryption, whoever says who he is is believed.
pub(super) fn preamble(user: &str, service: &str) -> Vec<u8> {
    let text = |text: &str| text.to_owned();
    let header = ConnectionHeader {
        user_info: Some(UserInformation {
            effective_user: text(user),
        }),
        service_name: Some(text(service)),
        cell_block_codec_class: Some(text("org.apache.hadoop.hbase.codec.KeyValueCodec")),
        version_info: Some(VersionInfo {
            version: text("2.6.1"),
            url: text("halite"),
            revision: text("halite"),
            user: text("halite"),
            date: text("halite"),
            src_checksum: text("halite"),
            version_major: Some(2),
            version_minor: Some(6),
        }),
    };
    let header = header.encode_to_vec();
    let mut bytes = b"HBas\x00\x50".to_vec();
    bytes.extend((header.len() as u32).to_be_bytes());
    bytes.extend(header);
    bytes
}

/// A request, to be answered within so many milliseconds.
pub(super) fn request(call: u32, method: &str, timeout: u32, message: &impl Message) -> Vec<u8> {
    let header = RequestHeader {
        call_id: Some(call),
        method_name: Some(method.to_owned()),
        request_param: Some(true),
        timeout: Some(timeout),
    };
    let mut bytes = vec![0; 4];
    bytes.extend(header.encode_length_delimited_to_vec());
    bytes.extend(message.encode_length_delimited_to_vec());
    let length = (bytes.len() - 4) as u32;
    if let Some(first) = bytes.first_chunk_mut() {
        *first = length.to_be_bytes();
    }
    bytes
}

/// An answer: its header, and where its message and its cells lie.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Response {
    pub header: ResponseHeader,
    body: Bytes,
    cells: usize,
}

impl Response {
    /// The answer of these bytes, without the length in front.
    ///
    /// # Errors
    /// `Corrupt` for what is no answer.
    pub(super) fn read(body: Vec<u8>) -> Result<Self> {
        let mut rest = &body[..];
        let header = ResponseHeader::decode_length_delimited(&mut rest).map_err(unreadable)?;
        let cells = header.cell_block_meta.as_ref();
        let cells = cells.and_then(|meta| meta.length).unwrap_or(0) as usize;
        let begins = body.len() - rest.len();
        if cells > rest.len() {
            return Err(Error::corrupt("an answer of HBase is shorter than it says"));
        }
        let body = Bytes::from(body).slice(begins..);
        let cells = body.len() - cells;
        Ok(Self {
            header,
            body,
            cells,
        })
    }

    /// Its message.
    ///
    /// # Errors
    /// `Corrupt` for another one.
    pub(super) fn message<M: Message + Default>(&self) -> Result<M> {
        let message = self.body.get(..self.cells).unwrap_or_default();
        M::decode_length_delimited(message).map_err(unreadable)
    }

    /// Its cells.
    pub(super) fn cells(&self) -> &[u8] {
        self.body.get(self.cells..).unwrap_or_default()
    }

    /// A part of its cells, as bytes that it shares.
    pub(super) fn share(&self, part: &[u8]) -> Bytes {
        self.body.slice_ref(part)
    }
}

fn unreadable(error: prost::DecodeError) -> Error {
    Error::corrupt("an answer of HBase cannot be read").with_source(error)
}

#[cfg(test)]
mod tests {
    use super::super::messages::{CellBlockMeta, MultiResponse, Procedure, RegionActionResult};
    use super::*;
    use crate::error::ErrorKind;
    use crate::keyrange::hex;

    fn answer() -> Vec<u8> {
        let header = ResponseHeader {
            call_id: Some(7),
            exception: None,
            cell_block_meta: Some(CellBlockMeta { length: Some(3) }),
        };
        let message = Procedure { proc_id: Some(300) };
        [
            header.encode_length_delimited_to_vec(),
            message.encode_length_delimited_to_vec(),
            vec![1, 2, 3],
        ]
        .concat()
    }

    #[test]
    fn a_request_is_these_bytes() {
        let request = request(5, "Get", 1000, &Procedure { proc_id: Some(300) });
        assert_eq!(
            hex(&request),
            "00000011\
             0c08051a0347657420013 8e807\
             0308ac02"
                .replace(' ', "")
        );
        let preamble = preamble("me", "ClientService");
        assert_eq!(&preamble[..6], b"HBas\x00\x50");
        let length = u32::from_be_bytes(preamble[6..10].try_into().unwrap()) as usize;
        assert_eq!(preamble.len(), 10 + length);
        let header = ConnectionHeader::decode(&preamble[10..]).unwrap();
        assert_eq!(header.service_name.as_deref(), Some("ClientService"));
    }

    #[test]
    fn an_answer_is_taken_apart() {
        let response = Response::read(answer()).unwrap();
        assert_eq!(response.header.call_id, Some(7));
        assert_eq!(response.message::<Procedure>().unwrap().proc_id, Some(300));
        assert_eq!(response.cells(), [1, 2, 3]);
    }

    #[test]
    fn hostile_answers_are_refused() {
        let whole = answer();
        for length in 0..whole.len() {
            let cut = Response::read(whole[..length].to_vec());
            let message = cut.and_then(|response| response.message::<Procedure>());
            assert_eq!(message.unwrap_err().kind(), ErrorKind::Corrupt, "{length}");
        }
        // A message that says that it is gigabytes long.
        let mut long = whole.clone();
        let at = whole.len() - 7;
        long.splice(at.., [0xff, 0xff, 0xff, 0xff, 0x0f, 1, 2, 3]);
        let response = Response::read(long).unwrap();
        response.message::<Procedure>().unwrap_err();
        let mut random = fastrand::Rng::with_seed(crate::seed::seed());
        for _ in 0..20_000 {
            let mut damaged = whole.clone();
            for _ in 0..random.usize(1..5) {
                let at = random.usize(..damaged.len());
                damaged[at] = random.u8(..);
            }
            let message =
                Response::read(damaged).and_then(|response| response.message::<MultiResponse>());
            drop(message);
        }
        assert_eq!(RegionActionResult::default().processed, None);
    }
}
