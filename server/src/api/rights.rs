//! The rights of a request: to stop what its browser started, and those of the operator.

use super::{
    ApiError, App,
    error::{gone, no_item},
    guard,
};
use crate::{
    edit::{EXPECTED, TokenHash},
    store::{Store, new_id},
};
use axum::{
    extract::FromRequestParts,
    http::{HeaderName, HeaderValue, request::Parts},
    response::Response,
};
use shared::{api::EDIT_HEADER, spec::Fault};
use std::convert::Infallible;
use utoipa::IntoParams;

/// The edit token of a request.
#[derive(IntoParams)]
#[into_params(parameter_in = Header)]
#[expect(dead_code, reason = "only for the description")]
pub struct EditHeader {
    /// Edit token: a secret of the client, 22 to 200 ASCII characters without spaces. It is required to stop work that was started with
    /// it. The operator's token is accepted everywhere.
    #[param(rename = "x-crosspoint-edit")]
    edit: Option<String>,
}

/// What a request may do.
pub struct Rights {
    /// The edit token that it brings.
    given: Option<String>,
    /// The operator's token.
    admin: Option<TokenHash>,
    /// `true` for a client on this machine.
    local: bool,
}

impl FromRequestParts<App> for Rights {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, app: &App) -> Result<Rights, Infallible> {
        let given = parts
            .headers
            .get(EDIT_HEADER)
            .map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned());
        let local = guard::is_local(&app.config, parts);
        Ok(Rights { given, admin: app.config.admin_token, local })
    }
}

/// Edit token of something that is being started.
pub struct Starter {
    /// Hash of the token.
    pub hash: TokenHash,
    /// The token itself, if the client brought none.
    fresh: Option<String>,
}

impl Starter {
    /// Adds a fresh token to the response.
    pub fn answer(self, mut response: Response) -> Response {
        if let Some(Ok(mut token)) = self.fresh.map(HeaderValue::try_from) {
            token.set_sensitive(true);
            response.headers_mut().insert(HeaderName::from_static(EDIT_HEADER), token);
        }
        response
    }
}

impl Rights {
    /// The token to keep with something new: the client's, or a fresh one.
    ///
    /// # Errors
    /// The client's token is too short, too long, or no plain text.
    pub fn start(&self) -> Result<Starter, ApiError> {
        if let Some(token) = &self.given {
            let fault = |found| ApiError::Field(Fault::new(EDIT_HEADER, found, EXPECTED));
            return Ok(Starter { hash: TokenHash::checked(token).map_err(fault)?, fresh: None });
        }
        let token = new_id()?;
        Ok(Starter { hash: TokenHash::of(&token), fresh: Some(token) })
    }

    /// Checks the right to stop `what`, which was started with a token of this hash; without one if by an earlier version.
    ///
    /// # Errors
    /// The request does not have the right.
    pub fn edit(&self, what: &str, started_with: Option<TokenHash>) -> Result<(), ApiError> {
        let own = match started_with {
            Some(hash) => self.given() == Some(hash),
            None => self.local,
        };
        if own || self.is_admin() {
            return Ok(());
        }
        Err(ApiError::Edit(format!(
            "Only the browser that started this {what} can stop it. Other clients send its edit token as the header {EDIT_HEADER}."
        )))
    }

    /// `true` if the request brings the cabling key of this hash, or the operator's token.
    pub fn has_key(&self, key: TokenHash) -> bool {
        self.given() == Some(key) || self.is_admin()
    }

    /// Checks the right to stop work: of the browser that started it, and of its edit link.
    ///
    /// # Errors
    /// There is no such work, or the request does not have the right.
    pub async fn edit_work(&self, app: &App, id: &str) -> Result<(), ApiError> {
        if let Some(live) = app.works.find(id).filter(|live| live.edit.is_some()) {
            return self.edit(live.asked.kind.noun(), live.edit);
        }
        let (owned, given) = (id.to_owned(), self.given());
        let look = move |store: &Store| {
            let linked = given.map(|hash| store.has_edit_link(&owned, hash)).transpose()?;
            Ok((store.edit_token(&owned)?, linked.unwrap_or(false)))
        };
        let (token, is_linked) = app.stored(look).await?;
        let token = token.ok_or_else(ApiError::no_work)?;
        if is_linked { Ok(()) } else { self.edit("work", token) }
    }

    /// Checks the right to change the note of a design or run, to delete it, and to start its cabling.
    ///
    /// # Errors
    /// There is no such design or run, or the request does not have the right.
    pub async fn edit_item(&self, app: &App, id: &str) -> Result<(), ApiError> {
        if self.may_edit_item(app, id).await? {
            return Ok(());
        }
        Err(ApiError::Edit(
            "Only the browser that saved this can change it, or the edit link of a workspace to which that browser added it.".into(),
        ))
    }

    /// `true` for the client that saved a design or started a run, for the edit link of a workspace to which they added it, and for
    /// the operator. A design or run of an earlier version without a token may be changed on the studio's machine.
    ///
    /// # Errors
    /// There is no such design or run.
    pub async fn may_edit_item(&self, app: &App, id: &str) -> Result<bool, ApiError> {
        let (owned, given) = (id.to_owned(), self.given());
        let look = move |store: &Store| {
            let shared = given.map(|hash| store.is_shared_with(&owned, hash)).transpose()?;
            Ok((store.item_token(&owned)?, shared.unwrap_or(false), store.deletion_of(&owned)?))
        };
        let (token, is_shared, deleted) = app.stored(look).await?;
        if let Some(deleted) = deleted {
            return Err(gone(&deleted));
        }
        let own = match token.ok_or_else(no_item)? {
            Some(hash) => self.given() == Some(hash),
            None => self.local,
        };
        Ok(own || is_shared || self.is_admin())
    }

    /// Checks the right to see and stop all work.
    ///
    /// # Errors
    /// The request does not have the right.
    pub fn operate(&self) -> Result<(), ApiError> {
        if self.local || self.is_admin() {
            return Ok(());
        }
        Err(ApiError::Operator(format!(
            "Only the operator sees all work: open this page on the studio's machine, or send the operator's token (header {EDIT_HEADER})."
        )))
    }

    /// Hash of the token that the request brings.
    pub fn given(&self) -> Option<TokenHash> {
        self.given.as_deref().map(TokenHash::of)
    }

    /// `true` with the operator's token.
    pub fn is_admin(&self) -> bool {
        self.admin.is_some() && self.given() == self.admin
    }
}
